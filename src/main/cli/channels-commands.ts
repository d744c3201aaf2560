import { addList } from './channels/list-command.ts';
import { addDisable, addEnable, addReset } from './channels/switch-commands.ts';
import { addTest } from './channels/test-command.ts';
import type { CommandSetup } from './context.ts';

export function addChannelsCommands(setup: CommandSetup): void {
  const channels = setup.program
    .command('channels')
    .description('list, test, disable and enable channels to upstreams');
  channels.addHelpText(
    'after',
    `
Examples:
  switchyard channels list
  switchyard channels test openai --model gpt-4o-mini
  switchyard channels disable openai
  switchyard channels reset openai`,
  );
  for (const add of [addList, addTest, addDisable, addEnable, addReset]) add(channels, setup);
}
