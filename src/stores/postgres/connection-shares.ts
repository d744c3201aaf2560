/** The most connections of a node, for all purposes together, unless `DATABASE_CONNECTIONS` is set. */
export const DEFAULT_CONNECTIONS = 21;
/** With fewer, some purpose would have too few for its transactions. */
export const LEAST_CONNECTIONS = 8;
export const MOST_CONNECTIONS = 1_000;

/** Listens for changes by other nodes. */
const LISTENERS = 1;
const COUNTING = 1;

/** Divides a node's connections among the pools, so that one busy purpose cannot starve the others. */
export function sharesOf(connections: number) {
  const free = connections - LISTENERS - COUNTING;
  const share = (part: number) => Math.max(1, Math.floor(free * part));
  const [responses, keys, reading] = [share(0.22), share(0.11), share(0.16)];
  return { main: free - responses - keys - reading, responses, keys, reading, counting: COUNTING };
}
