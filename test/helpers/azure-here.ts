import dns, { type LookupAllOptions } from "node:dns";
import { vi } from "vitest";

const azure = "tilth.openai.azure.com";
const here = "127.0.0.1";

/**
 * Makes a host of Azure's lead to this machine until the test has ended, so that a scripted model can be asked as Azure
 * is.
 */
export class AzureHere {
  readonly #lookup;

  constructor() {
    const real = dns.lookup;
    const found = (name: string, options: LookupAllOptions, answer: unknown) =>
      real(name === azure ? here : name, options, answer as never);
    this.#lookup = vi.spyOn(dns, "lookup").mockImplementation(found as never);
  }

  /** The same server's address, with a name that ends like Azure's. */
  of(baseUrl: string): string {
    return baseUrl.replace(here, azure);
  }

  [Symbol.dispose](): void {
    this.#lookup.mockRestore();
  }
}
