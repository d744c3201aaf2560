import type { FileFacts, Rule, Violation } from '../facts.ts';
import { isShippedDashboard, isShippedSource, placeOf, relativeImports } from '../layout.ts';

const name = 'cycles';

interface Edge {
  readonly target: string;
  readonly path: string;
  readonly line: number;
}

type Graph = ReadonlyMap<string, readonly Edge[]>;

/**
 * Forbids import cycles: files that import each other can only be understood, tested and loaded together. Type-only imports count, since
 * they tie a reader just as much. The folders of the domain may import each other, but not in cycles either.
 */
export const cycles: Rule = {
  name,
  check: (files) => {
    const shipped = files.filter(({ path }) => isShippedSource(path) || isShippedDashboard(path));
    const betweenFiles = findCycles(withoutEnds(graphOf(shipped, (path) => path)));
    const betweenFolders = findCycles(withoutEnds(graphOf(shipped, domainFolder)));
    return [...betweenFiles, ...betweenFolders];
  },
};

function domainFolder(path: string): string | undefined {
  const place = placeOf(path);
  return place?.room === 'domain' && place.folder !== undefined ? `src/domain/${place.folder}` : undefined;
}

function graphOf(files: readonly FileFacts[], nodeOf: (path: string) => string | undefined): Graph {
  const graph = new Map<string, Edge[]>();
  for (const file of files) {
    const from = nodeOf(file.path);
    if (from === undefined) continue;
    const edges = graph.get(from) ?? [];
    graph.set(from, edges);
    for (const { target: targetPath, line } of relativeImports(file)) {
      const target = nodeOf(targetPath);
      const isInnerEdge = target === from && targetPath !== file.path;
      if (target !== undefined && !isInnerEdge) edges.push({ target, path: file.path, line });
    }
  }
  return graph;
}

/** Returns the graph without nodes from which no cycle can be reached, which are usually all. */
function withoutEnds(graph: Graph): Graph {
  const left = new Map(graph);
  let before: number;
  do {
    before = left.size;
    for (const [node, edges] of left) if (!edges.some(({ target }) => left.has(target))) left.delete(node);
  } while (left.size < before);
  return left;
}

/** Returns one violation per knot: the shortest cycle through its first node that is in none reported before. */
function findCycles(graph: Graph): Violation[] {
  const reported = new Set<string>();
  const violations: Violation[] = [];
  for (const start of [...graph.keys()].sort()) {
    if (reported.has(start)) continue;
    const cycle = shortestCycle(graph, start);
    const first = cycle?.[0];
    if (cycle === undefined || first === undefined) continue;
    for (const edge of cycle) reported.add(edge.target);
    const chain = [start, ...cycle.map((edge) => edge.target)].join(' → ');
    const message = `import cycle: ${chain}; move the shared code into a file that imports none of them`;
    violations.push({ path: first.path, line: first.line, rule: name, message });
  }
  return violations;
}

function shortestCycle(graph: Graph, start: string): readonly Edge[] | undefined {
  const seen = new Set<string>();
  let frontier: { readonly node: string; readonly trail: readonly Edge[] }[] = [{ node: start, trail: [] }];
  while (frontier.length > 0) {
    const next: typeof frontier = [];
    for (const { node, trail } of frontier) {
      for (const edge of graph.get(node) ?? []) {
        if (edge.target === start) return [...trail, edge];
        if (seen.has(edge.target)) continue;
        seen.add(edge.target);
        next.push({ node: edge.target, trail: [...trail, edge] });
      }
    }
    frontier = next;
  }
  return undefined;
}
