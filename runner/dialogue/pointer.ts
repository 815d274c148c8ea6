const fewWords = 8;
const folderPath = /^[\w.@~+-]*(?:\/[\w.@~+-]+)+/;
const fileName = /^[\w@+-]{2,}(?:\.[\w@+-]+)*\.[A-Za-z]\w{0,9}(?:::?\S*|#\S*)?$/;

/** Says where something is, instead of telling about it: it has a path-like word, or is under eight words long. */
export function isPointer(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return words.length < fewWords || words.some(isPathLike);
}

function isPathLike(word: string): boolean {
  const bare = word.replace(/^["'`([]/, "").replace(/["'`)\],.;:]{1,3}$/, "");
  return folderPath.test(bare) || fileName.test(bare);
}
