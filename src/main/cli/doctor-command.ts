import { CommandError } from './command-error.ts';
import type { CommandSetup } from './context.ts';
import { type SettingsOptions, settingsFrom } from './settings.ts';

export function addDoctorCommand({ program, dependencies, setExitCode }: CommandSetup): void {
  program
    .command('doctor')
    .description('check everything that a start needs and how requests arrive, and suggest fixes')
    .option('--host <address>', 'address to check (HOST; 127.0.0.1)')
    .option('--port <number>', 'port to check (PORT; 8787)')
    .option('--url <address>', 'public address at which to ask the running gateway (server.public_url)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Each line is ok, warn or FAIL; the exit code is 1 after a FAIL. Upstreams are contacted without a key. With a public address, the command
asks the running gateway through its reverse proxy, and reports buffering, lost headers, wrong paths and addresses, and limits.

Examples:
  switchyard doctor
  switchyard doctor --config switchyard.yaml --data /var/lib/switchyard
  switchyard doctor --url https://ai.example.com`,
    )
    .action(async (options: { json?: boolean; url?: string }, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const url = options.url === undefined ? null : publicAddress(options.url);
      const { diagnose } = await import('./doctor/diagnose.ts');
      const findings = [];
      for await (const finding of diagnose(dependencies, settings, { upstream: dependencies.upstream(), url })) {
        findings.push(finding);
        if (finding.level === 'FAIL') setExitCode(1);
        if (!options.json) {
          stdout.write(`${finding.level.padEnd(4)}  ${finding.subject.padEnd(14)}  ${printable(finding.message)}\n`);
        }
      }
      if (options.json) stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
    });
}

/** Replaces control characters, with which another server could write to the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}

function publicAddress(text: string): string {
  const isAddress = URL.canParse(text) && /^https?:\/\/[^?#@]+$/.test(text);
  if (isAddress) return text.replace(/\/+$/, '');
  throw new CommandError('--url: must be an address such as https://ai.example.com, without credentials and query', 2);
}
