import { type Command, InvalidArgumentError } from 'commander';
import type { Channel } from '../../../domain/catalog/channel.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { findChannel } from '../../../engine/admin/channels/read-channels.ts';
import { channelTestView, hasAnswered } from '../../../engine/channel-tests/test-view.ts';
import { ModelFacts } from '../../../engine/directory/model-facts.ts';
import { SERVING_ONLY } from '../../../engine/ports/directory-store.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import { CommandError } from '../command-error.ts';
import { type CommandSetup, withDirectory } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { formatReport } from './test-report.ts';

interface TestOptions {
  readonly model?: string;
  readonly stream?: boolean;
  readonly json?: boolean;
  readonly timeout?: number;
}

export function addTest(channels: Command, { dependencies, setExitCode }: CommandSetup): void {
  channels
    .command('test')
    .description('send one small real request to a channel and show the response')
    .argument('<id>', 'the channel ID, as the list shows it; may be disabled or blocked')
    .option('--model <id>', 'public ID of the model to test (the first chat model)')
    .option('--stream', 'stream, and show the time to the first byte')
    .option('--timeout <seconds>', "time limit for the whole test (60, or the channel's own if shorter)", seconds)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The provider charges for it as for any request of a few tokens. It is sent by this command, not through a running
gateway, so it changes neither the channel's figures nor its state. The exit code is 1 without a response.

Examples:
  switchyard channels test openai
  switchyard channels test openai --model gpt-4o-mini --stream
  switchyard channels test ollama --timeout 300`,
    )
    .action(async (id: string, options: TestOptions, command) => {
      const { clock, stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const { channels, models, syncedModels } = await withDirectory(dependencies, settings, (directory) =>
        directory.read(SERVING_ONLY),
      );
      const channel = findChannel(channels, id);
      const providers = await dependencies.providers();
      const manifest = manifestIn(providers, channel);
      const ports = { upstream: dependencies.upstream(), clock };
      const modelFacts = new ModelFacts(providers, syncedModels);
      const declared = new Map(models.map((model) => [model.id, model]));
      const modelOf = (modelId: string) => modelFacts.resolve(modelId, channel, declared.get(modelId));
      // Loaded lazily, because it imports all formats, which the other commands do not need.
      const { manifestOf, serverOf } = await import('../../../engine/servers/recognize-server.ts');
      const { testChannel } = await import('../../../engine/channel-tests/test-channel.ts');
      const server = await serverOf(ports.upstream, channel, manifest);
      const served = manifestOf(manifest, server);
      const test = await testChannel(ports, {
        channel,
        manifest: served,
        modelOf,
        modelFacts,
        ...requestedBy(options),
      });
      if (test instanceof Failure) throw new CommandError(test.message.replaceAll('`', '"'));
      if (!hasAnswered(test)) setExitCode(1);
      const report = { channel, manifest, server, test };
      stdout.write(options.json ? `${JSON.stringify(channelTestView(report), null, 2)}\n` : formatReport(report));
    });
}

function requestedBy({ model, stream, timeout }: TestOptions) {
  return { modelId: model ?? null, stream: stream ?? false, totalMs: timeout === undefined ? null : timeout * 1_000 };
}

function manifestIn(providers: ReadonlyMap<string, ProviderManifest>, { id, provider }: Channel): ProviderManifest {
  const manifest = providers.get(provider);
  if (manifest === undefined) throw new CommandError(`channel ${id} has an unknown provider: "${provider}"`);
  return manifest;
}

function seconds(text: string): number {
  const value = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= 86_400) return value;
  throw new InvalidArgumentError('It must be a number of seconds, more than 0 and at most 86400.');
}
