import { createHash } from 'node:crypto';
import { run } from '../build/run.ts';

/** The members of a CycloneDX document that depend on the moment when it is made. */
interface Document {
  readonly serialNumber?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/**
 * Resolves to the software bill of materials of what is shipped, in CycloneDX's JSON. It lists the packages that the server and the
 * dashboard are bundled from, and the runtime; packages for development are left out.
 */
export async function sbom(root: string, date: string): Promise<string> {
  const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', '--package-lock-only'];
  return reproducible(JSON.parse(await run(['npm', 'sbom', ...options], { cwd: root })), date);
}

/** Returns the document with the given date, and a serial number that depends on its content only. */
export function reproducible(document: Document, date: string): string {
  const metadata = { ...document.metadata, timestamp: date };
  const digest = createHash('sha256').update(JSON.stringify({ ...document, serialNumber: '', metadata }));
  return `${JSON.stringify({ ...document, serialNumber: `urn:uuid:${uuidOf(digest.digest())}`, metadata }, null, 2)}\n`;
}

/** Returns a UUID of version 8 (RFC 9562), whose bits are the application's. */
function uuidOf(bytes: Uint8Array): string {
  const own = Uint8Array.from(bytes.subarray(0, 16));
  own[6] = ((own[6] ?? 0) & 0x0f) | 0x80;
  own[8] = ((own[8] ?? 0) & 0x3f) | 0x80;
  return own.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
