import { parentPort } from 'node:worker_threads';
import plugin, { type Reply } from '@scalar/fastify-api-reference';
import { type Packed, packed } from '../shared/packed.ts';

/*
 * Extracts Scalar's script for browsers from its package and compresses it. The package takes 60 MB, which are freed when the worker ends.
 */

export interface PackedScript {
  readonly script: Packed;
}

parentPort?.postMessage({ script: packed(scriptOfPackage()) } satisfies PackedScript);

/**
 * Returns the script, which the package exposes only as a route for a Fastify server. `@scalar/api-reference` itself would install 270
 * packages.
 */
function scriptOfPackage(): string {
  let script: unknown;
  const reply: Reply = {
    header: () => reply,
    send: (body) => {
      script = body;
      return reply;
    },
  };
  const server = {
    hasPlugin: () => false,
    route: ({ url, handler }: { readonly url: string; handler(request: unknown, reply: Reply): unknown }) => {
      if (url.endsWith('.js')) handler(undefined, reply);
    },
  };
  plugin(server, { routePrefix: '/docs', configuration: { url: 'openapi.json' } }, () => undefined);
  if (typeof script !== 'string') throw new Error('the package @scalar/fastify-api-reference contains no script');
  return script;
}
