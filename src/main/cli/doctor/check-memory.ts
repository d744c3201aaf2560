import type { Configuration } from '../../../engine/admin/configuration/configuration.ts';
import { workerCount } from '../../group/worker-count.ts';
import { availableMemory, describeMemory, memoryInForce, size } from '../../memory.ts';
import type { Environment } from '../settings.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Checks that the configured memory bounds fit into the memory of the machine or the container. */
export function checkMemory(
  configuration: Configuration | null,
  environment: Environment,
  availableBytes = availableMemory(environment),
): Finding {
  const subject = 'memory';
  const workers = workerCount(environment);
  const memory = memoryInForce(configuration, workers, availableBytes);
  const { bodyMemoryBytes, maxHeldAnswerBytes, maxHeldMediaBytes } = memory.bounds;
  const held = (bodyMemoryBytes + maxHeldAnswerBytes + maxHeldMediaBytes) * workers;
  if (held <= memory.availableBytes) return ok(subject, describeMemory(memory));
  return warn(
    subject,
    `bodies, responses and media may use ${size(held)}, but ${size(memory.availableBytes)} is available: lower server.body_memory_bytes, server.max_held_answer_bytes or media.max_held_bytes, or remove them to use defaults that fit`,
  );
}
