import { expect, test } from 'bun:test';
import { pause } from '../../domain/testing/until.ts';
import { fakePorts } from '../call/testing/fake-ports.ts';
import * as answers from '../call/testing/sample-answers.ts';
import { channelOf, directoryOf, PROVIDERS, targetOf } from '../call/testing/sample-routes.ts';
import { ChannelProbes } from './channel-probes.ts';

function probing() {
  const { upstream, clock, ports } = fakePorts();
  const channel = channelOf('a', 'chatting');
  const directory = directoryOf([channel]);
  const providers = new Map(PROVIDERS.map((manifest) => [manifest.name, manifest]));
  const probes = new ChannelProbes({ upstream, clock, providers, logger: ports.logger, directory: () => directory });
  return { upstream, probes, target: targetOf(channel) };
}

test('a model is probed with a small request of the gateway, at most once a minute', async () => {
  const { upstream, probes, target } = probing();
  upstream.script('a', answers.chatAnswer('OK'));
  probes.probe(target, false);
  await pause();
  probes.probe(target, false);
  await pause();
  expect(upstream.asked).toEqual(['a']);
});

test('no text is generated to probe another endpoint of the model', async () => {
  const { upstream, probes, target } = probing();
  const health = target.health.channel.model(`/count_tokens ${target.upstreamModel}`);
  probes.probe({ ...target, health }, false);
  await pause();
  expect(upstream.asked).toEqual([]);
});
