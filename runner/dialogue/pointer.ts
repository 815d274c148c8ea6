const fewWords = 8;
const folderPath = /^[\p{L}\p{N}_.@~+-]*(?:[/\\][\p{L}\p{N}_.@~+-]+)+/u;
const folder = /^[\p{L}\p{N}_.@~+-]+\/$/u;
const dotFile = /^\.[A-Za-z][\w-]+(?:\.[\w-]+)*$/;
const fileName = /^[\p{L}\p{N}_@+-]+(?:\.[\p{L}\p{N}_@+-]+)*\.[A-Za-z]\w{0,9}(?:[:#(]\S*)?$/u;
/** `e.g`, `i.e`: their last full stop has been stripped as if it ended the sentence */
const abbreviation = /^(?:\p{L}\.)+\p{L}$/u;

/** True if a text points to a place instead of telling about it: it has a path-like word or fewer than eight words. */
export function isPointer(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return words.length < fewWords || words.some(isPathLike);
}

function isPathLike(word: string): boolean {
  const bare = word.replace(/^["'`([<*]+/, "").replace(/["'`)\]>*,.;:]{1,5}$/, "");
  if (abbreviation.test(bare)) return false;
  return [folderPath, folder, dotFile, fileName].some((shape) => shape.test(bare));
}
