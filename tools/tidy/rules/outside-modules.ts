import type { FileFacts, Rule, Violation } from '../facts.ts';
import { isPure, isShippedSource, type Place, placeOf } from '../layout.ts';

const name = 'outside-modules';

/** From this floor on, packages and modules of the runtime are allowed, except in pure code (`isPure`). */
const FIRST_FREE_FLOOR = 4;

/** The modules from outside of the project that lower floors may import. */
const ALLOWED: readonly {
  readonly module: RegExp;
  readonly rooms: readonly string[];
  readonly reason: string;
}[] = [
  { module: /^zod$/, rooms: ['formats', 'providers', 'engine'], reason: 'one schema is the check and the contract' },
  { module: /^node:crypto$/, rooms: ['engine'], reason: 'hashes and random ids; pure computation' },
  { module: /^node:buffer$/, rooms: ['engine'], reason: 'whether bytes are UTF-8; pure computation' },
  { module: /^node:zlib$/, rooms: ['engine'], reason: 'checksums of requests (crc32); pure computation' },
  { module: /^music-metadata$/, rooms: ['engine'], reason: 'durations of audio files; pure computation' },
  {
    module: /^@energetic-ai\/(core|model-embeddings-en)(\/|$)/,
    rooms: ['providers'],
    reason: 'the local embedding model; pure computation, in a thread of its own',
  },
  { module: /^gpt-tokenizer(\/|$)/, rooms: ['providers'], reason: 'token estimates; pure computation' },
  { module: /^node:worker_threads$/, rooms: ['providers'], reason: 'token estimates in a thread of their own' },
  { module: /^aws4fetch$/, rooms: ['providers'], reason: 'AWS signatures' },
  { module: /^google-auth-library$/, rooms: ['providers'], reason: 'Google tokens' },
];

/** Restricts the lower floors, which are pure or work against ports; I/O and libraries belong on the upper ones. */
export const outsideModules: Rule = {
  name,
  check: (files) => files.filter((file) => isShippedSource(file.path)).flatMap(checkFile),
  unusedExceptions: (files) => {
    const shipped = files.filter((file) => isShippedSource(file.path));
    return ALLOWED.flatMap(({ module, rooms }) =>
      rooms
        .filter((room) => {
          const ofRoom = shipped.filter((file) => placeOf(file.path)?.room === room);
          return !ofRoom.some((file) => file.imports.some(({ specifier }) => module.test(specifier)));
        })
        .map((room) => `${module} in ${room}`),
    );
  },
};

function checkFile(file: FileFacts): Violation[] {
  const place = placeOf(file.path);
  const pure = isPure(file.path);
  if (place === undefined || (place.floor >= FIRST_FREE_FLOOR && !pure)) return [];
  return file.imports.flatMap(({ specifier, line }) => {
    if (specifier.startsWith('.') || isAllowed(specifier, place)) return [];
    return [{ path: file.path, line, rule: name, message: complaint(specifier, place, pure) }];
  });
}

function isAllowed(specifier: string, place: Place): boolean {
  return ALLOWED.some((entry) => entry.module.test(specifier) && entry.rooms.includes(place.room));
}

function complaint(specifier: string, place: Place, pure: boolean): string {
  if (pure) return `pure code imports '${specifier}'; take the value as a parameter`;
  return (
    `${place.room} imports '${specifier}'; put it behind a port that a store, upstream or a transport implements, ` +
    'or list it with its reason in this rule'
  );
}
