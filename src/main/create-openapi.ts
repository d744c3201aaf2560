import { createHash } from 'node:crypto';
import type { LiveBranding } from '../engine/admin/settings/live-branding.ts';
import type { DocumentFormat, WrittenDocument } from '../transports/inference/openapi/openapi-routes.ts';
import type { ManagementRoute } from '../transports/management/route.ts';
import type { OpenApiDocument } from '../transports/shared/openapi/assemble.ts';
import type { DescribedApi } from '../transports/shared/openapi/described-endpoint.ts';
import { VERSION } from './build.ts';

export interface OpenApiOptions {
  readonly branding: Pick<LiveBranding, 'current'>;
  /** The address at which clients reach the gateway; `null` if not configured. */
  readonly publicUrl: string | null;
  readonly vendorKey: string;
  /** Resolves to the routes of the management API. */
  readonly management: () => Promise<readonly ManagementRoute[]>;
}

/** Relative to the document's own address, so it is also correct under a reverse proxy's path. */
const BESIDE_IT = '.';

/**
 * Creates the OpenAPI document of the whole service. It is made on first request, since it takes some hundred milliseconds and memory that
 * most gateways never need, and cached in its serialized form until the service gets another name.
 */
export function createOpenApi(options: OpenApiOptions): (format: DocumentFormat) => Promise<WrittenDocument> {
  const written = new Map<DocumentFormat, { readonly name: string; readonly making: Promise<WrittenDocument> }>();
  return async (format) => {
    const { name } = await options.branding.current();
    const known = written.get(format);
    if (known?.name === name) return known.making;
    const made = { name, making: write(format, name, options) };
    written.set(format, made);
    made.making.catch(() => {
      if (written.get(format) === made) written.delete(format);
    });
    return made.making;
  };
}

async function write(format: DocumentFormat, title: string, options: OpenApiOptions): Promise<WrittenDocument> {
  const { assemble } = await import('../transports/shared/openapi/assemble.ts');
  const info = { title, version: VERSION, serverUrl: options.publicUrl ?? BESIDE_IT };
  const document = await assemble(await describedApis(options), info);
  const text = format === 'json' ? JSON.stringify(document) : await yamlOf(document);
  const bytes = new TextEncoder().encode(text);
  return { body: new Blob([bytes]), etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

/** Returns all parts of the service, in the order of the document. */
async function describedApis({ vendorKey, management }: OpenApiOptions): Promise<readonly DescribedApi[]> {
  const [{ inferenceApi }, { managementApi }, { signInApi }] = await Promise.all([
    import('../transports/inference/openapi/inference-api.ts'),
    import('../transports/management/openapi.ts'),
    import('./describe-sign-in.ts'),
  ]);
  return [inferenceApi(vendorKey), managementApi(await management()), signInApi()];
}

async function yamlOf(document: OpenApiDocument): Promise<string> {
  const { writeYaml } = await import('../transports/shared/openapi/write-document.ts');
  return await writeYaml(document);
}
