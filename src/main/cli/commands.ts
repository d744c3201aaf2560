import { addAccountsCommands } from './accounts-commands.ts';
import { addApplyCommand } from './apply-command.ts';
import { addAuditCommands } from './audit-commands.ts';
import { addBackupCommand } from './backup-command.ts';
import { addBatchesCommands } from './batches-commands.ts';
import { addBudgetsCommands } from './budgets-commands.ts';
import { addCacheCommands } from './cache-commands.ts';
import { addCatalogCommands } from './catalog-commands.ts';
import { addChannelsCommands } from './channels-commands.ts';
import { addConfigCommands } from './config-commands.ts';
import { addDemoCommand } from './demo-command.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addExportCommands } from './export-commands.ts';
import { addFirstStartCommand } from './first-start-command.ts';
import { addGuardsCommands } from './guards-commands.ts';
import { addHealthCommand } from './health-command.ts';
import { addInitCommand } from './init-command.ts';
import { addKeysCommands } from './keys-commands.ts';
import { addLedgerCommands } from './ledger-commands.ts';
import { addLogsCommands } from './logs/logs-command.ts';
import { addMigrateCommand } from './migrate-command.ts';
import { addMoveCommand } from './move-command.ts';
import { addReloadCommand } from './reload-command.ts';
import { addRestoreCommand } from './restore-command.ts';
import { addSecretCommands } from './secret-commands.ts';
import { addServeCommand } from './serve-command.ts';
import { addTasksCommands } from './tasks-commands.ts';
import { addTopCommand } from './top/top-command.ts';
import { addUsersCommands } from './users-commands.ts';

/** All commands, in the order of the help. */
export const COMMANDS = [
  addInitCommand,
  addServeCommand,
  addFirstStartCommand,
  addReloadCommand,
  addMigrateCommand,
  addHealthCommand,
  addTopCommand,
  addLogsCommands,
  addConfigCommands,
  addApplyCommand,
  addChannelsCommands,
  addCatalogCommands,
  addKeysCommands,
  addAccountsCommands,
  addBudgetsCommands,
  addUsersCommands,
  addLedgerCommands,
  addTasksCommands,
  addBatchesCommands,
  addGuardsCommands,
  addCacheCommands,
  addAuditCommands,
  addExportCommands,
  addSecretCommands,
  addBackupCommand,
  addRestoreCommand,
  addMoveCommand,
  addDemoCommand,
  addDoctorCommand,
];
