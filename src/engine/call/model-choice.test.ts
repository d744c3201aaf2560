import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { GRANTED, type ModelGrant } from '../../domain/routing/model-step.ts';
import { type BudgetModels, type ChosenModel, choosesModels, chosenModel, type ModelChooser } from './model-choice.ts';
import type { Asking } from './operation.ts';
import type { Outcome } from './outcome.ts';

const refused = new Failure('model_not_found', { message: 'not asked here' });

function askingFor(modelId: string | null, grant: ModelGrant | null = null): Asking & { grant: ModelGrant | null } {
  return { modelId, grant, withModel: askingFor, route: () => refused };
}

const giving = (choice: ChosenModel | null | Failure): ModelChooser => ({ choose: () => choice });

function calling() {
  const steps: unknown[] = [];
  const outcome = { stepped: (step: unknown) => steps.push(step) } as unknown as Outcome;
  return { steps, call: { outcome } as Parameters<typeof chosenModel>[2] };
}

const OF_BUDGETS = { isIdle: () => false, afterRefusal: () => null, learn: async () => {} };

test('a gateway without rules and budgets chooses no models', () => {
  const { directory, principal } = calling().call;
  expect(choosesModels({}, directory, principal)).toBe(false);
  expect(choosesModels({ modelRules: null, budgetModels: null }, directory, principal)).toBe(false);
  expect(choosesModels({ modelRules: { isIdle: () => true, choose: () => null } }, directory, principal)).toBe(false);
  expect(choosesModels({ budgetModels: { ...OF_BUDGETS, ...giving(null) } }, directory, principal)).toBe(true);
});

test('the rules choose first, and the budgets see the model that they have chosen', async () => {
  const seen: unknown[] = [];
  const budgetModels: BudgetModels = {
    ...OF_BUDGETS,
    choose: async ({ modelId }) => {
      seen.push(modelId);
      return { modelId: 'cheap', reason: 'daily budget' };
    },
  };
  const { steps, call } = calling();
  const modelRules = giving({ modelId: 'large', reason: 'long prompts' });
  const chosen = await chosenModel({ modelRules, budgetModels }, askingFor('auto'), call);
  expect(chosen).toMatchObject({ modelId: 'cheap', grant: GRANTED });
  expect(seen).toEqual(['large']);
  expect(steps).toEqual([
    { kind: 'rule', from: 'auto', to: 'large', reason: 'long prompts' },
    { kind: 'budget', from: 'large', to: 'cheap', reason: 'daily budget' },
  ]);
});

test('a request keeps its model if no model is chosen, if the chosen model is its own, and if it names none', () => {
  const { steps, call } = calling();
  const asking = askingFor('one');
  const unnamed = askingFor(null);
  expect(chosenModel({ modelRules: giving(null) }, asking, call)).toBe(asking);
  expect(chosenModel({ modelRules: giving({ modelId: 'one', reason: 'same' }) }, asking, call)).toBe(asking);
  expect(chosenModel({ modelRules: giving({ modelId: 'two', reason: 'other' }) }, unnamed, call)).toBe(unnamed);
  expect(steps).toEqual([]);
});

test('a refusal of the rules ends the call before the budgets are asked', () => {
  const { call } = calling();
  const budgetModels: BudgetModels = {
    ...OF_BUDGETS,
    choose: () => {
      throw new Error('asked');
    },
  };
  expect(chosenModel({ modelRules: giving(refused), budgetModels }, askingFor('auto'), call)).toBe(refused);
});
