import { Command, CommanderError } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import { ConfigurationError } from '../configuration/configuration-error.ts';
import { addAccountsCommands } from './accounts-commands.ts';
import { addApplyCommand } from './apply-command.ts';
import { addAuditCommands } from './audit-commands.ts';
import { addCacheCommands } from './cache-commands.ts';
import { addCatalogCommands } from './catalog-commands.ts';
import { addChannelsCommands } from './channels-commands.ts';
import { CommandError } from './command-error.ts';
import type { CommandLineDependencies, CommandSetup } from './context.ts';
import { addDemoCommand } from './demo-command.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addKeysCommands } from './keys-commands.ts';
import { addLedgerCommands } from './ledger-commands.ts';
import { addReloadCommand } from './reload-command.ts';
import { addSecretCommands } from './secret-commands.ts';
import { addServeCommand } from './serve-command.ts';
import { addTasksCommands } from './tasks-commands.ts';
import { addUsersCommands } from './users-commands.ts';

/**
 * Runs the command in the arguments (without interpreter and script) and resolves to the exit code: 0 success, 1 failure, 2 wrong usage. An
 * error is one line on `stderr`, or one line per problem of a configuration file.
 */
export async function runCommandLine(argv: readonly string[], dependencies: CommandLineDependencies): Promise<number> {
  const { stderr } = dependencies;
  let exitCode = 0;
  const program = createProgram({
    dependencies,
    setExitCode: (code) => {
      exitCode = code;
    },
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its own errors; help and version also end with one.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof ConfigurationError) {
      for (const problem of error.problems) stderr.write(`${problem}\n`);
      return 1;
    }
    stderr.write(`switchyard: ${oneLine(error instanceof Error ? error.message : String(error))}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

function createProgram(setup: Omit<CommandSetup, 'program'>): Command {
  const { stdout, stderr } = setup.dependencies;
  const program = new Command('switchyard')
    .description('One HTTP door to many AI providers.')
    .version(packageJson.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--data <folder>', 'where the database and the master secret are (SWITCHYARD_DATA; ./data)')
    .option('--config <file>', 'the configuration file (SWITCHYARD_CONFIG)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(`switchyard: ${oneLine(text.replace(/^error: /, ''))}\n`),
    })
    .exitOverride()
    .addHelpText('after', ENVIRONMENT_HELP);
  for (const add of COMMANDS) add({ ...setup, program });
  return program;
}

/** In the order of the help. */
const COMMANDS = [
  addServeCommand,
  addReloadCommand,
  addApplyCommand,
  addChannelsCommands,
  addCatalogCommands,
  addKeysCommands,
  addAccountsCommands,
  addUsersCommands,
  addLedgerCommands,
  addTasksCommands,
  addCacheCommands,
  addAuditCommands,
  addSecretCommands,
  addDemoCommand,
  addDoctorCommand,
];

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}

const ENVIRONMENT_HELP = `
Environment:
  PORT, HOST          where to listen (8787, 127.0.0.1)
  SWITCHYARD_DATA     the data folder (./data)
  SWITCHYARD_CONFIG   a configuration file (YAML or JSON), applied at every start
  SWITCHYARD_SECRET   the master secret, instead of the file in the data folder; required with DATABASE_URL
  SWITCHYARD_WORKERS  how many processes serve: a number or auto (1)
  SWITCHYARD_MEMORY   how much memory it may use, such as 768MiB (the container's limit, or the machine's)
  DATABASE_URL        PostgreSQL instead of the database in the data folder
  DATABASE_CONNECTIONS  the most connections of a process to it (21)
  REDIS_URL           Redis or Valkey, shared by several nodes
  OPENAI_API_KEY …    a provider's key makes a channel when no configuration names one

Examples:
  switchyard serve
  switchyard keys create --name laptop
  switchyard apply switchyard.yaml --check
  switchyard accounts grant acme 10
  switchyard channels test openai
  switchyard tasks list --open
  switchyard demo --data ./demo
  switchyard doctor`;
