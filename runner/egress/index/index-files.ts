import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Allowance } from "./allowance.js";
import type { ConfiguredIndex } from "./configured-index.js";
import type { Fetched, Fetcher, IndexRequest } from "./fetching.js";
import type { FetchRecord, IndexGatewayLimits } from "./index-limits.js";
import { NoPage, type PageLink, type Place, rewritten } from "./index-pages.js";
import { discard, failureOf, NotFetched, refusalOf } from "./not-fetched.js";

export interface IndexFilesOptions {
  readonly indexes: readonly ConfiguredIndex[];
  readonly fetcher: Fetcher;
  readonly allowance: Allowance;
  readonly limits: IndexGatewayLimits;
  readonly report: (record: FetchRecord) => void;
}

interface Page {
  readonly type: string;
  readonly body: Buffer;
}

/** A file that a page of the index links to. */
interface Linked extends PageLink {
  readonly from: Pick<IndexRequest, "index" | "secure">;
}

interface FileWanted extends Pick<IndexRequest, "url" | "index" | "secure"> {
  readonly filename: string;
}

interface Asking {
  readonly asked: IncomingMessage;
  readonly answer: ServerResponse;
  readonly signal: AbortSignal;
}

const pagePath = /^\/(?<n>\d{1,3})\/(?<project>[a-z0-9](?:[a-z0-9._-]{0,198}[a-z0-9])?)\/$/;
const filePath = /^\/f\/(?<k>\d{1,9})\/(?<name>[\w.+!~%-]{1,800})$/;
const longestAccept = 500;
const passedOn = ["accept-encoding", "if-match", "if-modified-since", "if-none-match", "if-range", "range"];
const passedBack = [
  "accept-ranges",
  "cache-control",
  "content-encoding",
  "content-length",
  "content-range",
  "content-type",
  "etag",
  "last-modified",
];
const statusesOfFiles = [200, 206, 304, 416];

/** Answers with the pages of the indexes, and with the files that they link to. */
export class IndexFiles {
  readonly #options: IndexFilesOptions;
  readonly #pages = new Map<string, Page>();
  readonly #linked: Linked[] = [];
  readonly #kept: Allowance;

  constructor(options: IndexFilesOptions) {
    this.#options = options;
    this.#kept = new Allowance(options.limits.pagesBytes);
  }

  /** Answers one request; fails with NotFetched, or the signal's reason. */
  async serve(asked: IncomingMessage, answer: ServerResponse, signal: AbortSignal): Promise<void> {
    const { url: path = "", headers } = asked;
    const { n, project = "" } = pagePath.exec(path)?.groups ?? {};
    const { k, name = "" } = filePath.exec(path)?.groups ?? {};
    const index = this.#options.indexes[Number(n)];
    if (index !== undefined) {
      const page = await this.#page(index, { n: Number(n), project, accept: headers.accept ?? "*/*" }, signal);
      answer.writeHead(200, { "content-type": page.type, "content-length": page.body.length });
      return void answer.end(asked.method === "HEAD" ? undefined : page.body);
    }
    const linked = this.#linked[Number(k)];
    const url = linked && urlUnder(linked, name);
    if (!linked || !url) throw new NotFetched(404, "there is no such thing here");
    const { filename, from } = linked;
    await this.#stream({ ...from, url, filename }, { asked, answer, signal });
  }

  async #page(
    index: ConfiguredIndex,
    { n, project, accept }: { n: number; project: string; accept: string },
    signal: AbortSignal,
  ): Promise<Page> {
    const key = `${n} ${project} ${accept}`;
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    if (accept.length > longestAccept) throw new NotFetched(404, "nothing is so hard to please");
    const url = new URL(`${project}/`, index.base);
    const headers = { accept, "accept-encoding": "gzip" };
    const wanted: IndexRequest = { url, index, secure: false, method: "GET", headers };
    const page = await this.#reported({ host: url.host, what: project }, async (count) => {
      const fetched = await this.#options.fetcher.fetch(wanted, signal);
      const text = await this.#text(fetched, { what: `the page of ${project}`, count, signal });
      const made = await this.#rewritten(fetched, text, index);
      this.#keep(Math.max(0, made.body.length - text.length), `the page of ${project} of ${url.host}`);
      return made;
    });
    this.#pages.set(key, page);
    return page;
  }

  async #text({ response, url }: Fetched, { what, count, signal }: Reading): Promise<string> {
    const { headers, statusCode = 0 } = response;
    const { pageBytes } = this.#options.limits;
    const encoding = headers["content-encoding"] ?? "identity";
    if (statusCode !== 200) throw refusalOf(response, url, what);
    const chunks: Buffer[] = [];
    try {
      if (!["gzip", "x-gzip", "identity"].includes(encoding)) throw new NoPage(`it is packed as ${encoding}`);
      this.#options.allowance.expect(Number(headers["content-length"] ?? 0), pageBytes);
      const unpacked = encoding === "identity" ? new PassThrough() : createGunzip();
      const [wire, own, kept] = [this.#options.allowance, new Allowance(pageBytes), this.#kept];
      await pipeline(
        response,
        wire.through(pageBytes, count),
        unpacked,
        own.through(pageBytes),
        kept.through(pageBytes),
        async (source: AsyncIterable<Buffer>) => {
          for await (const chunk of source) chunks.push(chunk);
        },
        { signal },
      );
    } catch (error) {
      discard(response);
      throw failureOf(error, `${what} of ${url.host}`, signal);
    }
    return Buffer.concat(chunks).toString("utf8");
  }

  async #rewritten({ response, url }: Fetched, text: string, index: ConfiguredIndex): Promise<Page> {
    const { pageFiles, allFiles } = this.#options.limits;
    const from = { index, secure: url.protocol === "https:" };
    let files = 0;
    const place: Place = ({ href, base, filename }) => {
      files += 1;
      if (files > pageFiles) throw new NoPage(`it links to more than ${pageFiles} files`);
      if (this.#linked.length >= allFiles) throw new NoPage(`with it, more than ${allFiles} files would be known`);
      const k = this.#linked.push({ href: alone(href), base, filename: alone(filename), from }) - 1;
      return `/f/${k}/${filename}`;
    };
    try {
      return await rewritten({ type: response.headers["content-type"] ?? "", text, url }, place);
    } catch (error) {
      if (error instanceof NoPage)
        throw new NotFetched(502, `what ${url.host} answered is no page of a package index: ${error.message}`);
      throw error;
    }
  }

  /** Counts the growth of a page: it may be longer once it is rewritten. */
  #keep(more: number, what: string): void {
    try {
      this.#kept.add(more);
    } catch (error) {
      throw failureOf(error, what);
    }
  }

  async #stream({ filename: what, ...from }: FileWanted, { asked, answer, signal }: Asking): Promise<void> {
    const method = asked.method === "HEAD" ? "HEAD" : "GET";
    const headers = { "accept-encoding": "identity", ...only(passedOn, asked.headers) };
    await this.#reported({ host: from.url.host, what }, async (count) => {
      const { response, url } = await this.#options.fetcher.fetch({ ...from, method, headers }, signal);
      const { statusCode = 0 } = response;
      if (!statusesOfFiles.includes(statusCode)) throw refusalOf(response, url, what);
      const { fileBytes } = this.#options.limits;
      const { allowance } = this.#options;
      try {
        allowance.expect(Number(response.headers["content-length"] ?? 0), fileBytes);
        answer.writeHead(statusCode, only(passedBack, response.headers));
        await pipeline(response, allowance.through(fileBytes, count), answer, { signal });
      } catch (error) {
        response.destroy();
        throw failureOf(error, `${what} of ${url.host}`, signal);
      }
    });
  }

  async #reported<T>(about: Pick<FetchRecord, "host" | "what">, get: (count: Count) => Promise<T>): Promise<T> {
    let bytes = 0;
    let refusal: string | null = null;
    try {
      return await get((more) => {
        bytes += more;
      });
    } catch (error) {
      refusal = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      this.#options.report({ ...about, bytes, refusal });
    }
  }
}

type Count = (bytes: number) => void;

interface Reading {
  readonly what: string;
  readonly count: Count;
  readonly signal: AbortSignal;
}

/** Copies a part of a text, because a substring keeps the whole text in memory. */
function alone(part: string): string {
  return Buffer.from(part, "utf8").toString("utf8");
}

/** Returns undefined when `asked` is neither the file's name nor its metadata's. */
function urlUnder({ href, base, filename }: Linked, asked: string): URL | undefined {
  const url = new URL(href, base);
  url.hash = "";
  url.username = "";
  url.password = "";
  const name = asked.replace(/%2B/gi, "+").replace(/%21/g, "!").replace(/%7E/gi, "~");
  if (name === filename) return url;
  url.pathname += ".metadata";
  return name === `${filename}.metadata` ? url : undefined;
}

function only(names: readonly string[], headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}
