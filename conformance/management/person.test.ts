import { afterAll, test } from 'bun:test';
import { Workspace } from '../shared/workspace.ts';
import { expectPersonalStory } from './person.ts';

const TIMEOUT_MS = 600_000;

let space: Workspace | undefined;
afterAll(() => space?.remove(), TIMEOUT_MS);

/* On three nodes: `acceptance/postgres/person.test.ts`. */
test(
  'a person is invited, makes a key, and is locked out',
  async () => {
    space = await Workspace.create();
    await expectPersonalStory([await space.serve()]);
  },
  TIMEOUT_MS,
);
