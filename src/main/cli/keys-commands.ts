import type { CommandSetup } from './context.ts';
import { addCreate } from './keys/create-command.ts';
import { addList } from './keys/list-command.ts';
import { addRevoke } from './keys/revoke-command.ts';
import { addRotate } from './keys/rotate-command.ts';

export function addKeysCommands(setup: CommandSetup): void {
  const keys = setup.program.command('keys').description('create, list, rotate and revoke API keys');
  keys.addHelpText(
    'after',
    `
Examples:
  switchyard keys create --account acme --limit-usd 5
  switchyard keys list
  switchyard keys revoke 'sk-ab…wxyz'`,
  );
  for (const add of [addCreate, addList, addRotate, addRevoke]) add(keys, setup);
}
