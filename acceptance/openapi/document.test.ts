import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { parse } from 'yaml';
import type { Serving } from '../../conformance/shared/serving.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';

const TIMEOUT_MS = 600_000;

let space: Workspace;
let serving: Serving;
let source: string;

beforeAll(async () => {
  space = await Workspace.create();
  serving = await space.serve();
  source = await (await fetch(`${serving.origin}/openapi.json`)).text();
}, TIMEOUT_MS);
afterAll(() => space?.remove(), TIMEOUT_MS);

test(
  'a public linter finds no problems',
  async () => {
    const config = await createConfig('extends: [recommended-strict]');
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    // The issuer redirects browsers to this route, which redirects them again.
    const callback = '#/paths/~1v1~1management~1auth~1callback~1{id}/get/responses';
    // The contract has the first path, and OpenAI's clients call the other two. No task has the id `generations`, `content` or `remix`.
    const ambiguous = ['content', 'remix'].map((last) => [
      'no-ambiguous-paths',
      `Paths should resolve unambiguously. Found two ambiguous paths: \`/v1/videos/generations/{id}\` and \`/v1/videos/{id}/${last}\`.`,
      `#/paths/~1v1~1videos~1{id}~1${last}`,
    ]);
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([
      ...ambiguous,
      ['operation-2xx-response', 'Operation must have at least one `2XX` response.', callback],
    ]);
  },
  TIMEOUT_MS,
);

test(
  'the YAML version is equal, public and cacheable',
  async () => {
    const url = `${serving.origin}/openapi.yaml`;
    const yaml = await fetch(url, { headers: { origin: 'https://page.test' } });
    expect(yaml.headers.get('access-control-allow-origin')).toBe('*');
    expect(parse(await yaml.text())).toEqual(JSON.parse(source));
    const again = await fetch(url, { headers: { 'if-none-match': yaml.headers.get('etag') ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  },
  TIMEOUT_MS,
);
