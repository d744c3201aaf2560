import { Command, CommanderError } from 'commander';
import { BUILD, VERSION, versionLine } from '../build.ts';
import { ConfigurationError } from '../configuration/configuration-error.ts';
import { CommandError } from './command-error.ts';
import { type AddCommand, COMMANDS } from './commands.ts';
import type { CommandLineDependencies, CommandSetup } from './context.ts';
import { type SettingsOptions, settingsFrom } from './settings.ts';

/**
 * Runs the command in the arguments (without interpreter and script) and resolves to the exit code: 0 success, 1 failure, 2 wrong usage. An
 * error is one line on `stderr`, or one line per problem of a configuration file.
 */
export async function runCommandLine(argv: readonly string[], dependencies: CommandLineDependencies): Promise<number> {
  const { stderr } = dependencies;
  let exitCode = 0;
  const commands = await commandsFor(argv);
  const program = createProgram(commands, {
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

/** Resolves to the command that the first argument names, else to all, for the help and for errors. */
async function commandsFor([name = '']: readonly string[]): Promise<readonly AddCommand[]> {
  const load = COMMANDS.get(name);
  if (load !== undefined) return [await load()];
  const all = await Promise.all([...COMMANDS.values()].map((load) => load()));
  // Some names share a function.
  return [...new Set(all)];
}

function createProgram(
  commands: readonly AddCommand[],
  own: Pick<CommandSetup, 'dependencies' | 'setExitCode'>,
): Command {
  const { stdout, stderr, environment } = own.dependencies;
  const program = new Command('switchyard')
    .description('AI gateway: one API for many AI providers.')
    .version(versionLine(VERSION, BUILD), '--version', 'print the version, and of a build its commit and date')
    .helpOption('-h, --help', 'print this help')
    .option('--data <folder>', 'folder of the database and master secret (SWITCHYARD_DATA; ./data)')
    .option('--config <file>', 'the configuration file (SWITCHYARD_CONFIG)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(`switchyard: ${oneLine(text.replace(/^error: /, ''))}\n`),
    })
    .exitOverride()
    .addHelpText('after', ENVIRONMENT_HELP);
  const setup: CommandSetup = {
    ...own,
    program,
    get settings() {
      return settingsFrom(program.opts<SettingsOptions>(), environment);
    },
  };
  for (const add of commands) add(setup);
  return program;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}

const ENVIRONMENT_HELP = `
Environment:
  PORT, HOST          port and address to listen on (8787, 127.0.0.1)
  SWITCHYARD_DATA     the data folder (./data)
  SWITCHYARD_CONFIG   a configuration file (YAML or JSON), applied at every start
  SWITCHYARD_SECRET   the master secret, in place of the file in the data folder; required with DATABASE_URL
  SWITCHYARD_WORKERS  number of worker processes, or auto (1)
  SWITCHYARD_MEMORY   memory limit, such as 768MiB (that of the container, or the machine)
  DATABASE_URL        PostgreSQL, in place of the database in the data folder
  DATABASE_CONNECTIONS  maximum PostgreSQL connections per process (21)
  DATABASE_UPGRADE    refuse: only "switchyard migrate" upgrades the database (auto)
  REDIS_URL           Redis or Valkey, shared by all nodes
  OPENAI_API_KEY …    a provider key; creates a channel if no configuration defines one
  SWITCHYARD_TOKEN    the management token of "top" and "logs"
  NAME_FILE           the path of a file with the value of NAME, for each variable that holds a secret

Examples:
  switchyard init --for laptop
  switchyard serve
  switchyard keys create --name laptop
  switchyard apply switchyard.yaml --check
  switchyard accounts grant acme 10
  switchyard channels test openai
  switchyard tasks list --open
  switchyard backup /srv/backups/switchyard.tar
  switchyard demo --data ./demo
  switchyard doctor`;
