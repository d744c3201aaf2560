import { ObjectMemory } from '../engine/directory/object-memory.ts';
import type { DurableBilling } from '../engine/ports/billing.ts';
import type { Every } from '../engine/ports/clock.ts';
import type { MediaFetcher } from '../engine/ports/media-fetcher.ts';
import type { MediaStore } from '../engine/ports/media-store.ts';
import type { Store } from '../engine/ports/store.ts';
import type { TaskSettings } from '../engine/settings/settings.ts';
import { Tasks, type TasksPorts } from '../engine/tasks/tasks.ts';
import { newId, newTaskId } from './system.ts';

interface TaskOptions {
  readonly every: Every;
  readonly store: Pick<Store, 'tasks' | 'objects'>;
  readonly mediaFetcher: MediaFetcher;
  readonly mediaStore: MediaStore;
  readonly tasks: TaskSettings;
}

type Shared = Pick<TasksPorts, 'directory' | 'clock' | 'log' | 'metrics' | 'logger' | 'upstream' | 'answers'>;

/** Creates the task engine. Each process that shares the store has its own name. */
export function createTasks(
  { every, store, mediaFetcher, mediaStore, tasks: settings }: TaskOptions,
  { directory, clock, log, metrics, logger, upstream, answers }: Shared,
  billing: DurableBilling,
): Tasks {
  return new Tasks({
    ...{ directory, clock, log, metrics, logger, upstream, answers, billing, mediaStore, settings, newTaskId },
    tasks: store.tasks,
    objects: new ObjectMemory({ objects: store.objects, clock, logger }),
    media: mediaFetcher,
    random: Math.random,
    every,
    owner: newId('node_'),
  });
}
