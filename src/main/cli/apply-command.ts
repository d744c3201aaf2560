import type { Configuration } from '../../engine/admin/configuration/configuration.ts';
import { type AppliedFile, applyFile } from '../apply-file.ts';
import { type CommandSetup, configurationIn, requiredConfigurationPath, withStore } from './context.ts';
import { systemUser } from './system-user.ts';
import { dollars } from './values.ts';

export function addApplyCommand(setup: CommandSetup): void {
  setup.program
    .command('apply')
    .description('apply the accounts, keys, models and channels of a configuration file')
    .argument('[file]', 'the configuration file (SWITCHYARD_CONFIG)')
    .option('--check', 'check the file without changing anything')
    .option('--allow-removals', 'apply it even if it removes more than half of ten or more objects')
    .addHelpText(
      'after',
      `
Applying the same file again changes nothing. A running gateway uses changes at once.

Examples:
  switchyard apply switchyard.yaml
  switchyard apply switchyard.yaml --check`,
    )
    .action(async (file: string | undefined, options: { check?: boolean; allowRemovals?: boolean }) => {
      const { clock, stdout, stderr } = setup.dependencies;
      const path = requiredConfigurationPath(file, setup.settings);
      const configuration = await configurationIn(setup.dependencies, path);
      if (options.check) {
        stdout.write(`${path}: ok (${summaryOf(configuration)})\n`);
        return;
      }
      const providers = await setup.dependencies.providers();
      const actor = { kind: 'file', name: `${path}, applied by ${systemUser()}` } as const;
      const applied = await withStore(
        setup,
        (store) => applyFile(store, { ...options, configuration, providers, clock, actor }),
        actor,
      );
      stdout.write(reportOf(applied));
      for (const notice of applied.notices) stderr.write(`notice: ${notice}\n`);
    });
}

function reportOf(applied: AppliedFile): string {
  const lines: string[] = [];
  for (const verb of ['created', 'updated', 'removed'] as const) {
    for (const name of applied[verb]) lines.push(`${verb}  ${name}`);
  }
  for (const { accountId, amountNanoUsd } of applied.granted) {
    lines.push(`granted  ${dollars(amountNanoUsd)} to account ${accountId}`);
  }
  for (const name of applied.kept) lines.push(`kept     ${name} (not in the file; accounts are never removed)`);
  const { created, updated, unchanged, removed } = applied;
  lines.push(
    `${created.length} created, ${updated.length} updated, ${unchanged.length} unchanged, ${removed.length} removed`,
  );
  return `${lines.join('\n')}\n`;
}

function summaryOf({ channels, models, accounts }: Configuration): string {
  const keys = accounts.flatMap((account) => account.credentials).length;
  const ids = new Set([...models.map(({ id }) => id), ...channels.flatMap((channel) => Object.keys(channel.models))]);
  return `channels ${channels.length}, models ${ids.size}, accounts ${accounts.length}, keys ${keys}`;
}
