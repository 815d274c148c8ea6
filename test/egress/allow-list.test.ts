import { describe, expect, test } from "vitest";
import { canonicalAddress, isPublic } from "../../runner/egress/addresses.js";
import { allowedHost, isAllowed } from "../../runner/egress/allow-list.js";
import { destination } from "../../runner/egress/destination.js";

function allows(written: string, host: string, port: number): boolean {
  const to = destination(host, port);
  const entry = allowedHost(written);
  if (entry === null || to === null) throw new Error(`${written} or ${host} is none`);
  return isAllowed([entry], to);
}

describe("an allowed host", () => {
  test.each([
    ["example.com", "example.com", 443, true],
    ["example.com", "EXAMPLE.com.", 80, true],
    ["Example.COM", "example.com", 443, true],
    ["example.com", "example.com", 8443, false],
    ["example.com", "www.example.com", 443, false],
    ["example.com", "notexample.com", 443, false],
    ["example.com:8443", "example.com", 8443, true],
    ["example.com:8443", "example.com", 443, false],
    ["*.example.com", "a.b.example.com", 443, true],
    ["*.example.com", "example.com", 443, false],
    ["*.example.com", "notexample.com", 443, false],
    ["*.example.com:22", "a.example.com", 22, true],
    ["10.0.0.5:5432", "10.0.0.5", 5432, true],
    ["10.0.0.5:5432", "10.0.0.5", 5433, false],
    ["10.0.0.5:5432", "10.0.0.6", 5432, false],
    ["10.0.0.5:5432", "::ffff:10.0.0.5", 5432, true],
    ["[fd00::5]:80", "[FD00:0:0::5]", 80, true],
    ["localhost:8000", "localhost", 8000, true],
  ] as const)("written %s admits %s at port %d: %s", (written, host, port, yes) => {
    expect(allows(written, host, port)).toBe(yes);
  });

  test.each([
    "",
    "*",
    "*.",
    ".example.com",
    "example..com",
    "https://example.com",
    "example.com/path",
    "user@example.com",
    "example.com:0",
    "example.com:65536",
    "example.com:",
    "10.0.0.5",
    "[fd00::5]",
    "fd00::5",
    "[fd00::5%eth0]:80",
    "2130706433",
    "0x7f000001:80",
    "1.2.3:80",
    "*.1.2.3.4",
    "exämple.com",
    "a b",
    `${"a".repeat(64)}.com`,
  ])("is refused when it is written %j", (written) => {
    expect(allowedHost(written)).toBeNull();
  });
});

test.each([
  "127.0.0.1",
  "127.255.255.254",
  "10.1.2.3",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:10.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "100::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fec0::1",
  "ff02::1",
  "2002:7f00:1::",
  "2001:0:7f00:1::",
])("%s is no public address", (address) => {
  expect(isPublic(canonicalAddress(address))).toBe(false);
});

test.each(["1.1.1.1", "172.32.0.1", "100.128.0.1", "151.101.0.223", "2606:4700::1111", "2a04:4e42::223"])(
  "%s is a public address",
  (address) => {
    expect(isPublic(canonicalAddress(address))).toBe(true);
  },
);
