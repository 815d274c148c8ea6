import { describe, expect, test } from "vitest";
import { loadSettings, readRawSettings } from "../../../cli/settings/settings.js";
import { maskerOf, secretsIn } from "../../../runner/app/opening/known-secrets.js";
import { TilthError } from "../../../runner/base/errors.js";
import { scratch, thrownBy } from "../../helpers/scratch.js";

type Env = Record<string, string>;

const load = (env: Env) => loadSettings({ TILTH_HOME: scratch(), ...env });

describe("the package indexes", () => {
  test.each<[string, Env, readonly string[]]>([
    ["the public one where none is named", {}, ["https://pypi.org/simple/"]],
    ["pip's", { PIP_INDEX_URL: "https://p.example/simple" }, ["https://p.example/simple"]],
    [
      "uv's before pip's",
      {
        PIP_INDEX_URL: "https://p.example/",
        UV_INDEX_URL: "https://u.example/",
        UV_DEFAULT_INDEX: "in=https://d.example/",
      },
      ["https://d.example/"],
    ],
    [
      "the main one, then all others, each once",
      {
        PIP_EXTRA_INDEX_URL: "https://a.example/ https://b.example/",
        UV_INDEX: "name=https://ada:pw@c.example/",
        UV_EXTRA_INDEX_URL: " https://b.example/\nhttps://pypi.org/simple/ ",
      },
      ["https://pypi.org/simple/", "https://ada:pw@c.example/", "https://b.example/", "https://a.example/"],
    ],
  ])("are %s", (_, env, expected) => {
    expect(load(env).packages.indexes).toEqual(expected);
    expect(readRawSettings({ TILTH_HOME: scratch(), ...env }).indexes).toEqual(expected);
  });

  test.each<[string, string]>([
    ["PIP_INDEX_URL", "file:///srv/s3cretpass"],
    ["UV_INDEX", "https://ok.example/ ssh://ada:s3cretpass@one.example/"],
    ["UV_DEFAULT_INDEX", "ada:s3cretpass@one.example/simple"],
    ["PIP_EXTRA_INDEX_URL", "https://one.example/simple?token=s3cretpass"],
    ["UV_EXTRA_INDEX_URL", "https://one.example/simple#s3cretpass"],
    ["UV_INDEX_URL", "/srv/s3cretpass"],
  ])("that are no addresses are refused at once, naming %s and never its value", (name, value) => {
    const error = thrownBy(() => load({ [name]: value }));
    if (!(error instanceof TilthError)) throw error;
    expect(error.message).toMatch(new RegExp(`^${name} must be the (http or https )?address of a package index`));
    expect(error.hint).toBe(`correct ${name} in the environment`);
    expect(error.message + error.hint).not.toContain("s3cretpass");
  });
});

describe("a secret in the address of an index", () => {
  test.each([
    ["https://ada:s3cret%2Fword@one.example/", ["s3cret%2Fword", "s3cret/word"]],
    ["https://to%6ben0001@one.example/", ["to%6ben0001", "token0001"]],
    ["https://one.example/", []],
    ["no address", []],
  ])("is found in %s in each form", (address, forms) => {
    expect(secretsIn(address)).toEqual(forms);
  });

  test("is masked like a key, with or without endpoints", () => {
    const packages = { indexes: ["https://ada:s3cret%2Fword@one.example/", "https://pypi.org/simple/"] };
    const masker = maskerOf({ endpoints: null, packages });
    const basic = Buffer.from("ada:s3cret/word").toString("base64");
    const told = masker.text(`GET ${packages.indexes[0]} s3cret/word Basic ${basic}; ada reads pypi.org`);
    expect(told).not.toMatch(/s3cret|[A-Za-z0-9+]{14}==/);
    expect(told).toContain("ada reads pypi.org");
  });
});

describe("a project's dependencies", () => {
  test("are looked for unless they are named or declared to be none", () => {
    const of = (TILTH_DEPENDENCIES: string) => load({ TILTH_DEPENDENCIES }).dependencies;
    expect([of(""), of("none"), of(" dev.txt, req/base.txt ,dev.txt")]).toEqual([
      null,
      "none",
      ["dev.txt", "req/base.txt"],
    ]);
  });

  test("are built from source when they are listed, in any spelling", () => {
    const { buildFromSource } = load({ TILTH_BUILD_FROM_SOURCE: "Foo.Bar_baz, foo-bar-baz,six" });
    expect([buildFromSource, load({}).buildFromSource]).toEqual([["foo-bar-baz", "six"], []]);
  });
});
