import { createHash } from 'node:crypto';
import packageJson from '../../package.json' with { type: 'json' };
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
  const document = JSON.parse(await run(['npm', 'sbom', ...options], { cwd: root }));
  // npm names the project after its folder.
  document.metadata.component.name = packageJson.name;
  return reproducible(document, date);
}

export interface Image {
  readonly version: string;
  /** The name that images use, such as `arm64`. */
  readonly architecture: string;
  /** The control files of the base's Debian packages, one after the other. */
  readonly packages: string;
}

interface Component {
  readonly 'bom-ref': string;
  readonly [member: string]: unknown;
}

/**
 * Returns the bill of materials of a container image: what the application's lists, and the packages of the base.
 *
 * @param application the document of `sbom`
 */
export function imageSbom(application: string, image: Image, date: string): string {
  const { metadata, components, dependencies, ...document } = JSON.parse(application);
  const { component, ...others } = metadata;
  const own: Component = {
    'bom-ref': `image-${image.architecture}`,
    type: 'container',
    name: 'switchyard',
    version: image.version,
    purl: `pkg:oci/switchyard?arch=${image.architecture}&tag=${image.version}`,
    licenses: component.licenses,
  };
  const debian = debianComponents(image.packages);
  const dependsOn = [component, ...debian].map((part: Component) => part['bom-ref']);
  return reproducible(
    {
      ...document,
      metadata: { ...others, component: own },
      components: [component, ...components, ...debian],
      dependencies: [{ ref: own['bom-ref'], dependsOn }, ...dependencies],
    },
    date,
  );
}

function debianComponents(packages: string): readonly Component[] {
  return packages
    .split(/^(?=Package: )/m)
    .filter((text) => text.startsWith('Package: '))
    .map((text) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
      const [name, version, architecture] = [field('Package'), field('Version'), field('Architecture')];
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`;
      return { 'bom-ref': purl, type: 'library', name, version, purl, supplier: { name: field('Maintainer') } };
    });
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
