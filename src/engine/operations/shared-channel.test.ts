import { expect, test } from 'bun:test';
import { ANY_SERVER_GOVERNS } from '../../providers/shared/governed/gateways.ts';
import { GovernedMembers } from '../directory/governed.ts';
import { refusalOnSharedChannel } from './shared-channel.ts';

const NAMES = { duplicates: [], hasOddNames: false };
const shared = { governed: new GovernedMembers(ANY_SERVER_GOVERNS), upstreamModel: 'up' };
const own = { governed: null, upstreamModel: 'up' };

test('a member that chooses a host or a model is refused on a shared channel, and goes over one’s own', () => {
  const body = { model: 'm', input: 'a', models: ['dearer'] };
  expect(refusalOnSharedChannel(shared, body, NAMES)).toMatchObject({
    ...{ code: 'unsupported_parameter', kind: 'loss_refused', details: { param: 'models[0]' } },
  });
  expect(refusalOnSharedChannel(own, body, NAMES)).toBeNull();
});

test('so is one that says two things at once', () => {
  const twice = { duplicates: [['provider']], hasOddNames: false };
  expect(refusalOnSharedChannel(shared, { provider: {} }, twice)?.message).toContain('stands twice');
  const odd = { duplicates: [], hasOddNames: true };
  expect(refusalOnSharedChannel(shared, { Models: ['dearer'] }, odd)?.message).toContain(
    'another spelling of `models`',
  );
});

test('what nobody governs passes', () => {
  expect(refusalOnSharedChannel(shared, { model: 'm', input: 'a', input_type: 'query' }, NAMES)).toBeNull();
});
