import type { CommandSetup } from './context.ts';

export type AddCommand = (setup: CommandSetup) => void;

/**
 * Loads a command by its name, in the order of the help. A process loads only the one that it runs: a gateway would keep the others in its
 * memory, and they take a quarter of the CPU of a short command.
 */
export const COMMANDS: ReadonlyMap<string, () => Promise<AddCommand>> = new Map([
  ['init', async () => (await import('./init-command.ts')).addInitCommand],
  ['serve', async () => (await import('./serve-command.ts')).addServeCommand],
  ['first-start', async () => (await import('./first-start-command.ts')).addFirstStartCommand],
  ['reload', async () => (await import('./reload-command.ts')).addReloadCommand],
  ['migrate', async () => (await import('./migrate-command.ts')).addMigrateCommand],
  ['health', async () => (await import('./health-command.ts')).addHealthCommand],
  ['top', async () => (await import('./top/top-command.ts')).addTopCommand],
  ['logs', async () => (await import('./logs/logs-command.ts')).addLogsCommands],
  ['config', async () => (await import('./config-commands.ts')).addConfigCommands],
  ['apply', async () => (await import('./apply-command.ts')).addApplyCommand],
  ['channels', async () => (await import('./channels-commands.ts')).addChannelsCommands],
  ['catalog', async () => (await import('./catalog-commands.ts')).addCatalogCommands],
  ['keys', async () => (await import('./keys-commands.ts')).addKeysCommands],
  ['accounts', async () => (await import('./accounts-commands.ts')).addAccountsCommands],
  ['budgets', async () => (await import('./budgets-commands.ts')).addBudgetsCommands],
  ['users', async () => (await import('./users-commands.ts')).addUsersCommands],
  ['ledger', async () => (await import('./ledger-commands.ts')).addLedgerCommands],
  ['tasks', async () => (await import('./tasks-commands.ts')).addTasksCommands],
  ['batches', async () => (await import('./batches-commands.ts')).addBatchesCommands],
  ['files', async () => (await import('./batches-commands.ts')).addBatchesCommands],
  ['guards', async () => (await import('./guards-commands.ts')).addGuardsCommands],
  ['cache', async () => (await import('./cache-commands.ts')).addCacheCommands],
  ['audit', async () => (await import('./audit-commands.ts')).addAuditCommands],
  ['export', async () => (await import('./export-commands.ts')).addExportCommands],
  ['secret', async () => (await import('./secret-commands.ts')).addSecretCommands],
  ['backup', async () => (await import('./backup-command.ts')).addBackupCommand],
  ['restore', async () => (await import('./restore-command.ts')).addRestoreCommand],
  ['move', async () => (await import('./move-command.ts')).addMoveCommand],
  ['demo', async () => (await import('./demo-command.ts')).addDemoCommand],
  ['doctor', async () => (await import('./doctor-command.ts')).addDoctorCommand],
]);
