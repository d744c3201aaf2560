import type { CommandSetup } from './context.ts';
import { diagnose } from './doctor/diagnose.ts';
import { type SettingsOptions, settingsFrom } from './settings.ts';

export function addDoctorCommand({ program, dependencies, setExitCode }: CommandSetup): void {
  program
    .command('doctor')
    .description('check everything that a start needs, and suggest fixes')
    .option('--host <address>', 'address to check (HOST; 127.0.0.1)')
    .option('--port <number>', 'port to check (PORT; 8787)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Each line is ok, warn or FAIL; the exit code is 1 after a FAIL. Upstreams are contacted without a key.

Examples:
  switchyard doctor
  switchyard doctor --config switchyard.yaml --data /var/lib/switchyard`,
    )
    .action(async (options: { json?: boolean }, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const findings = [];
      for await (const finding of diagnose(dependencies, settings, dependencies.upstream())) {
        findings.push(finding);
        if (finding.level === 'FAIL') setExitCode(1);
        if (!options.json) {
          stdout.write(`${finding.level.padEnd(4)}  ${finding.subject.padEnd(14)}  ${finding.message}\n`);
        }
      }
      if (options.json) stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
    });
}
