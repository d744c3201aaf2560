import { describeSecretChanges } from '../../src/main/testing/secret-contract.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };

describeSecretChanges(async () => {
  const server = await sharedTestPostgres();
  const url = await server.createMigratedDatabase();
  const open = (secret: string) => openPostgresStore({ url, secret, clock, logger });
  return {
    place: { databasePath: '', databaseUrl: url, clock, logger },
    open,
    run: async (secret) => {
      const store = await open(secret);
      const versions = { accessVersion: 0, servingVersion: 0 };
      const node = { id: 'n', hostName: 'host', processId: 7, version: '1', startedAtMs: 0, mediaPlace: null };
      await store.nodes.beat({ ...node, ...versions });
      return {
        stop: async () => {
          await store.nodes.leave('n');
          await store.close();
        },
      };
    },
    sealedColumns: `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = current_schema() AND column_name LIKE 'sealed%' AND table_name <> 'secret_check'
        AND table_name NOT LIKE 'request_log_%'`,
    remove: () => server.dropDatabase(url),
  };
});
