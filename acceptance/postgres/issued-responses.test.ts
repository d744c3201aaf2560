import { afterAll, beforeAll, expect, test } from 'bun:test';
import { IssuedResponsesBed, reference } from '../../conformance/issued-responses/bed.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

let bed: IssuedResponsesBed;

beforeAll(async () => {
  const server = await sharedTestPostgres();
  bed = await IssuedResponsesBed.start({
    DATABASE_URL: await server.createDatabase(),
    SWITCHYARD_SECRET: 'the master secret of all nodes',
  });
}, 600_000);

afterAll(() => bed?.stop());

test('a conversation that one provider stores continues at another provider', async () => {
  const { first, third, texts } = await bed.conversation();
  await bed.ask('other', 'Four.', third.id);
  expect(bed.heard()).toEqual([...texts, 'Four.']);
  await bed.ask('other', [reference(first), { role: 'user', content: 'And?' }]);
  expect(bed.heard()).toEqual([first.output_text, 'And?']);
});
