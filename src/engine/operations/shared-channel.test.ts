import { describe, expect, test } from 'bun:test';
import { ANY_SERVER_GOVERNS } from '../../providers/shared/governed/gateways.ts';
import { GovernedMembers } from '../directory/governed.ts';
import { refusalOfParts, refusalOnSharedChannel } from './shared-channel.ts';

const NAMES = { duplicates: [], hasOddNames: false };
const shared = { isPrivate: false, governed: new GovernedMembers(ANY_SERVER_GOVERNS), upstreamModel: 'up' };
const own = { isPrivate: true, governed: null, upstreamModel: 'up' };

test('a member that selects a host or a model is refused on a shared channel, and allowed on an own one', () => {
  const body = { model: 'm', input: 'a', models: ['dearer'] };
  expect(refusalOnSharedChannel(shared, body, NAMES)).toMatchObject({
    ...{ code: 'unsupported_parameter', kind: 'loss_refused', details: { param: 'models[0]' } },
  });
  expect(refusalOnSharedChannel(own, body, NAMES)).toBeNull();
});

test('a duplicate member is refused', () => {
  const twice = { duplicates: [['provider']], hasOddNames: false };
  expect(refusalOnSharedChannel(shared, { provider: {} }, twice)?.message).toContain('appears twice');
  const odd = { duplicates: [], hasOddNames: true };
  expect(refusalOnSharedChannel(shared, { Models: ['dearer'] }, odd)?.message).toContain(
    'another spelling of `models`',
  );
});

test('ungoverned members pass', () => {
  expect(refusalOnSharedChannel(shared, { model: 'm', input: 'a', input_type: 'query' }, NAMES)).toBeNull();
});

describe('a form', () => {
  const refused = (name: string, ...values: string[]) => refusalOfParts(shared, [[name, values]])?.details.param;

  test.each([
    ['models', 'dearer', 'models'],
    ['models', '["dearer"]', 'models'],
    ['models[0]', 'dearer', 'models'],
    ['provider', '{"order":["dear"]}', 'provider.order[0]'],
    ['provider[order][]', 'dear', 'provider.order'],
    ['plugins', '[{"id":"web"}]', 'plugins[0].id'],
    ['plugins[0][id]', 'web', 'plugins.id'],
    ['speed', 'fast', 'speed'],
    ['Models', 'dearer', 'Models'],
    ['models ', 'dearer', '["models "]'],
    ['provider', '{"order":[],"order":["dear"]}', 'provider.order'],
    ['provider', '{"Order":["dear"]}', 'provider.Order'],
  ])('with the part %s as %s is refused on a shared channel', (name, value, param) => {
    expect(refused(name, value)).toBe(param);
    expect(refused('harmless', 'x')).toBeUndefined();
  });

  test('is checked in every value of a part', () => {
    expect(refused('speed', 'standard', 'fast')).toBe('speed');
    expect(refused('speed', 'standard')).toBeUndefined();
  });

  test('is allowed on the account’s own channel', () => {
    expect(refusalOfParts(own, [['models', ['dearer']]])).toBeNull();
  });
});
