import { afterAll, test } from 'bun:test';
import { expectPersonalStory } from '../../conformance/management/person.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

const NODES = 3;
const TIMEOUT_MS = 600_000;

const spaces: Workspace[] = [];
afterAll(async () => {
  await Promise.all(spaces.map((space) => space.remove()));
}, TIMEOUT_MS);

test(
  'a person is invited, makes a key and is locked out, with each request at another node',
  async () => {
    const postgres = await sharedTestPostgres();
    const DATABASE_URL = await postgres.createDatabase();
    const env = { DATABASE_URL, SWITCHYARD_SECRET: 'the master secret of all three' };
    const nodes: Serving[] = [];
    for (let at = 0; at < NODES; at++) {
      const space = await Workspace.create();
      spaces.push(space);
      nodes.push(await space.serve({ env }));
    }
    await expectPersonalStory(nodes);
  },
  TIMEOUT_MS,
);
