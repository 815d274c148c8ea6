/**
 * Names of files that usually hold secrets, as regular expressions that JavaScript and Python read alike. The person
 * decides whether a file does: a name too many costs a question, a name too few a key.
 */
const names = [
  // environment files; names like `.env.example` are excepted by `forShow`
  String.raw`(?:[^/]+)?\.env(?:[.\-_][^/]*)?`,
  String.raw`\.envrc`,
  // keys, certificates with a key in them, and stores of both
  String.raw`[^/]*\.(?:pem|key|p8|p12|pfx|pkcs12|jks|keystore|kdbx?|ppk|gpg|agekey|ovpn)`,
  "id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-](?!pub)[^/]*)?",
  // login data of tools
  "[._]netrc",
  String.raw`\.(?:npmrc|pypirc|pgpass|my\.cnf|mylogin\.cnf|git-credentials|dockercfg|htpasswd|htdigest|s3cfg|boto|vault-token|terraformrc)`,
  String.raw`(?:pgpass\.conf|terraform\.rc|kubeconfig|htpasswd)`,
  String.raw`\.?vault[-_]?pass(?:word)?(?:\.[^/]*)?`,
  String.raw`(?:[^/]+[-_.])?credentials?(?:\.[^/]*)?`,
  "credentials?[-_][^/]*",
  String.raw`(?:[^/]+[-_.])?secrets?(?:\.[^/]*)?`,
  String.raw`client[-_]secrets?[^/]*\.json`,
  String.raw`(?:[^/]*[-_.])?service[-_]?account[^/]*\.json`,
  String.raw`[^/]*firebase-adminsdk[^/]*\.json`,
  String.raw`passwords?\.(?:txt|csv|json|ya?ml|toml|ini)`,
  String.raw`token\.(?:txt|json|pickle)`,
  // state and variables of infrastructure, which include passwords
  String.raw`[^/]*\.tfstate(?:\.[^/]*)?`,
  String.raw`[^/]*\.tfvars(?:\.json)?`,
];

/** Every file below these folders counts. */
const folders = [String.raw`\.(?:aws|ssh|gnupg|kube|azure|docker|secrets)`, String.raw`\.config/gcloud`];

/** Prefixes and suffixes that editors, file managers and careful people add to a name. */
const before = String.raw`(?:\.#?|#)?`;
const after = String.raw`(?:\.(?:bak|backup|old|orig|save|sw[op]|tmp|\d{1,3})|(?: - |[ _-])copy(?: \d{1,3})?| \(\d{1,3}\)|[ ~#])*`;
/** Excepts names like `.env.example`, and tests, which have to be read whatever they are about. */
const forShow = String.raw`(?!test_[^/]*\.py$)(?![^/]*[._-](?:example|sample|template|tmpl|dist|schema)(?:\.(?:json|ya?ml|toml|ini|py|md|txt))?$)`;

/** Matches paths of files that look like secrets; used without regard to upper and lower case. */
export const secretFiles = `(?:^|/)(?:(?:${folders.join("|")})(?:/|$)|${forShow}${before}(?:${names.join("|")})${after}$)`;

const secretFile = new RegExp(secretFiles, "i");

export function looksLikeSecretFile(path: string): boolean {
  return secretFile.test(path);
}

/** Kinds of keys that can be recognised by their form. */
const knownKeys = [
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /(?<![\w-])sk-(?=[\w-]*\d)(?=[\w-]*[A-Za-z0-9]{16})[\w-]{20,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_\w{20,}/,
  /\bgl(?:pat|dt|rt|ptt)-[\w-]{16,}/,
  /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/,
  /\bxox[abeoprs]-[\w-]{10,}/,
  /\bxapp-\d-[\w-]{10,}/,
  /\bAIza[\w-]{35}/,
  /\bya29\.[\w-]{20,}/,
  /\bnpm_[A-Za-z0-9]{30,}/,
  /\bpypi-AgE[\w-]{40,}/,
  /\bhf_[A-Za-z0-9]{30,}/,
  /\b(?:[rs]k|pk)_(?:live|test)_\w{16,}/,
  /\bwhsec_[A-Za-z0-9+/]{20,}/,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/,
  /\bdop_v1_[a-f0-9]{40,}/,
  /\bgsk_\w{30,}/,
  /\bxai-\w{30,}/,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\./,
  /\bhooks\.slack\.com\/services\/T\w+\/B\w+\/\w+/,
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]*:(?!(?:pass|password|passwd|secret|pwd|x+|\.+|changeme|postgres)@)[^\s/:@*<>${}]{4,}@/i,
];

/** True for text that looks like a key; false for prose, paths, names, uuids and hashes of any length. */
export function looksLikeKey(text: string): boolean {
  return knownKeys.some((known) => known.test(text)) || (text.match(/[\w+/=-]{20,}/g) ?? []).some(isRandom);
}

/** Random text switches between digits and letters often and has few letters in a row that could be a word. */
function isRandom(token: string): boolean {
  const parts = token.split(/[-_/+=]/).filter((part) => part.length >= 20);
  const whole = token.replace(/[-_/+=]/g, "");
  return (whole.length >= 28 && isMixedBase64(whole)) || parts.some((part) => isMixed(part) || changesOften(part));
}

/** Judges a token without its separators: a path or name of that length has more words in it, or only one case. */
function isMixedBase64(whole: string): boolean {
  return isMixed(whole) && /[A-Z]/.test(whole) && /[a-z]/.test(whole);
}

function isMixed(part: string): boolean {
  const outsideWords = part.replace(/[A-Z]?[a-z]{3,}|[A-Z]{5,}/g, "").length;
  return !isHash(part) && groupsOfDigits(part) >= 2 && outsideWords > part.length * 0.5;
}

function changesOften(part: string): boolean {
  return !isHash(part) && groupsOfDigits(part) >= 4;
}

function groupsOfDigits(part: string): number {
  return part.match(/\d+/g)?.length ?? 0;
}

/** True for hexadecimal, pieces of uuids included: git and people name things by it. */
function isHash(part: string): boolean {
  return /^(?:0x)?[0-9a-f]+$/i.test(part);
}
