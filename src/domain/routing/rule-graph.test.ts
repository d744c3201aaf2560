import { describe, expect, test } from 'bun:test';
import { MOST_RULE_STEPS, type ModelRule } from './model-rule.ts';
import { ruleProblem } from './rule-graph.ts';

type Graph = Readonly<Record<string, readonly string[]>>;

const rulesTo = (models: readonly string[]): readonly ModelRule[] =>
  models.map((model) => ({ name: null, when: null, model }));

function problemOf(modelId: string, graph: Graph) {
  const rulesOf = (id: string) => (graph[id] === undefined ? null : rulesTo(graph[id]));
  return ruleProblem(modelId, rulesTo(graph[modelId] ?? []), rulesOf);
}

describe('ruleProblem', () => {
  test('accepts real models, and virtual ones that end at them', () => {
    expect(problemOf('a', { a: ['x', 'b'], b: ['x', 'y'] })).toBeNull();
  });

  test('accepts a rule that leads to its own model', () => {
    expect(problemOf('a', { a: ['b', 'a'], b: ['b', 'x'] })).toBeNull();
  });

  test('names the rule and the way of a cycle', () => {
    expect(problemOf('a', { a: ['x', 'b'], b: ['c'], c: ['a'] })).toEqual({
      rule: 1,
      message: 'leads back to its own model: a → b → c → a',
    });
  });

  test('refuses a way that is too long', () => {
    const graph: Record<string, string[]> = {};
    for (let index = 0; index < MOST_RULE_STEPS; index++) graph[`m${index}`] = [`m${index + 1}`];
    expect(problemOf('m0', graph)).toBeNull();
    graph[`m${MOST_RULE_STEPS}`] = ['x'];
    expect(problemOf('m0', graph)?.message).toContain('leads over more than');
  });

  test('refuses a cycle among other models', () => {
    expect(problemOf('a', { a: ['b'], b: ['c'], c: ['b'] })?.message).toContain('leads over more than');
  });

  test('takes little work for a graph with very many ways', () => {
    const layer = (depth: number) => Array.from({ length: 50 }, (_, index) => `m${depth}-${index}`);
    const graph: Record<string, readonly string[]> = { a: layer(1) };
    for (const depth of [1, 2]) for (const id of layer(depth)) graph[id] = layer(depth + 1);
    let looked = 0;
    const rulesOf = (id: string) => {
      looked++;
      return graph[id] === undefined ? null : rulesTo(graph[id]);
    };
    expect(ruleProblem('a', rulesTo(layer(1)), rulesOf)).toBeNull();
    expect(looked).toBeLessThan(20_000);
  });
});
