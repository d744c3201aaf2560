import { type Command, Option } from 'commander';
import { TASK_KINDS, TASK_STAGES, TASK_STATUSES, type Task } from '../../domain/tasks/task.ts';
import { failTask, retryPoll } from '../../engine/admin/tasks/change-tasks.ts';
import {
  listTasks,
  shownTaskView,
  showTask,
  taskSummaryView,
  type WantedTasks,
} from '../../engine/admin/tasks/read-tasks.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { DEFAULT_TASKS, type TaskSettings } from '../../engine/settings/settings.ts';
import { statusOf } from '../../engine/tasks/task-view.ts';
import { type CommandLineDependencies, type CommandSetup, sectionOrDefault, withStore } from './context.ts';
import { formatFields, formatTable } from './table.ts';
import { roundDuration } from './time.ts';
import { wholeNumber } from './values.ts';

/** Adds `switchyard tasks`: videos, music, 3D models and slow images, and what to do with those that do not end. */
export function addTasksCommands(setup: CommandSetup): void {
  const tasks = setup.program
    .command('tasks')
    .description('list, retry and fail tasks: videos, music, 3D models and images');
  tasks.addHelpText(
    'after',
    `
Examples:
  switchyard tasks list --open --channel kling
  switchyard tasks show task_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A
  switchyard tasks fail task_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A --reason 'The provider has lost the video. Nothing was charged.'`,
  );
  for (const add of [addList, addShow, addRetryPoll, addFail]) add(tasks, setup);
}

interface ListOptions extends Omit<WantedTasks, 'isOpen'> {
  readonly open?: boolean;
  readonly json?: boolean;
}

function addList(tasks: Command, setup: CommandSetup): void {
  tasks
    .command('list')
    .description('list tasks, newest first')
    .option('--account <id>', 'only tasks of this account')
    .addOption(new Option('--kind <kind>', 'only tasks of this kind').choices(TASK_KINDS))
    .addOption(new Option('--stage <stage>', 'only tasks in this stage').choices(TASK_STAGES).conflicts('open'))
    .option('--open', 'only tasks that have not completed or failed')
    .addOption(new Option('--status <status>', 'only tasks with the status that clients see').choices(TASK_STATUSES))
    .option('--channel <id>', 'only tasks of this channel')
    .option('--model <id>', 'only tasks of this model')
    .option('--key <id>', 'only tasks created with this key')
    .option('--limit <number>', 'maximum number to list, up to 1000 (50)', wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Stages:
  created     stored, not yet submitted to a provider
  submitting  being submitted; unknown whether the provider has accepted the job
  submitted   accepted by a provider, which is polled
  closing     finished; its charge and files are being stored
  completed, failed

Examples:
  switchyard tasks list --open
  switchyard tasks list --account acme --kind video --limit 10 --json`,
    )
    .action(async ({ open, json, ...options }: ListOptions) => {
      const { stdout, clock } = setup.dependencies;
      const { items: found } = await withStore(setup, (store) => listTasks(store, { ...options, isOpen: open }));
      if (json) stdout.write(`${JSON.stringify(found.map(taskSummaryView), null, 2)}\n`);
      else if (found.length === 0) stdout.write('No tasks found.\n');
      else
        stdout.write(
          formatTable(
            COLUMNS,
            found.map((task) => asRow(task, clock.nowMs())),
          ),
        );
    });
}

const COLUMNS = ['task', 'age', 'account', 'model', 'kind', 'stage', 'status', 'progress', 'channel', 'poll errors'];

function asRow(task: Task, nowMs: number): readonly string[] {
  return [
    task.id,
    roundDuration(nowMs - task.createdAtMs),
    task.accountId,
    task.modelId,
    task.kind,
    task.stage,
    statusOf(task),
    task.progress === null ? '-' : `${task.progress} %`,
    task.target?.channelId ?? '-',
    String(task.pollErrors),
  ];
}

function addShow(tasks: Command, setup: CommandSetup): void {
  tasks
    .command('show')
    .description('print everything known about a task, without its request and result')
    .argument('<id>', 'the task ID, as the client and the list show it')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The ticket identifies the job at the provider; quote it when you report a problem to the provider.

Examples:
  switchyard tasks show task_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A
  switchyard tasks show task_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A --json`,
    )
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const view = shownTaskView(await withStore(setup, (store) => showTask(store, id, null)));
      stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : formatFields(view));
    });
}

function addRetryPoll(tasks: Command, setup: CommandSetup): void {
  tasks
    .command('retry-poll')
    .description('poll a job now, without waiting for the back-off after failed polls')
    .argument('<id>', 'the task ID, as the list shows it')
    .addHelpText(
      'after',
      `
The task is taken from its current process; the next one that claims tasks gets it: a running gateway within
two seconds, else the next one that starts. Only submitted and closing tasks can be retried.

Examples:
  switchyard tasks retry-poll task_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A`,
    )
    .action(async (id: string) => {
      const { stdout } = setup.dependencies;
      const task = await withStore(setup, (store) => retryPoll(store, id));
      const what = task.stage === 'closing' ? 'its charge and files are retried' : 'its job is polled';
      stdout.write(`${task.id}: ${what} once a gateway claims it, a running one within seconds\n`);
    });
}

function addFail(tasks: Command, setup: CommandSetup): void {
  tasks
    .command('fail')
    .description('mark a task as failed and release its reservation; the provider is not contacted')
    .argument('<id>', 'the task ID, as the list shows it')
    .requiredOption('--reason <sentence>', "message for the client: becomes the task's error")
    .addHelpText(
      'after',
      `
This cannot be undone. The job may continue at the provider, which may bill it; it is not polled any more.

Examples:
  switchyard tasks fail task_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A --reason 'The provider has lost the video. Nothing was charged.'`,
    )
    .action(async (id: string, { reason }: { reason: string }) => {
      const { stdout, clock, stderr } = setup.dependencies;
      const means = { clock, logger: errorsOnly({ stderr }), settings: await taskSettings(setup) };
      const { task, isRequestOver } = await withStore(setup, async (store) => {
        const ended = await failTask(store, means, id, reason);
        await store.requestLog.flush();
        return { task: ended, isRequestOver: ended.ticket !== null };
      });
      stdout.write(`failed ${task.id} of ${task.accountId}; nothing is charged\n`);
      if (isRequestOver) stderr.write('notice: the job may continue at the provider, which may bill it\n');
    });
}

/** Reads how long tasks are kept, which only the file defines. */
function taskSettings(setup: CommandSetup): Promise<TaskSettings> {
  const days = DEFAULT_TASKS.keepMs / 86_400_000;
  return sectionOrDefault(setup, {
    section: 'tasks',
    otherwise: DEFAULT_TASKS,
    notice: `so the task is kept for ${days} days`,
  });
}

function errorsOnly({ stderr }: Pick<CommandLineDependencies, 'stderr'>): Logger {
  return {
    debug() {},
    info() {},
    warn() {},
    error: ({ error }, message) => void stderr.write(`${message}: ${String(error)}\n`),
  };
}
