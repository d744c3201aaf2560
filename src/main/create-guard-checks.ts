import type { Guard } from '../domain/guards/guard.ts';
import { MOST_TIMEOUT_MS } from '../engine/admin/schema/guard.ts';
import { ModerationCheck, type ModerationCheckPorts } from '../engine/guard-checks/moderation-check.ts';
import { WebhookCheck } from '../engine/guard-checks/webhook-check.ts';
import { WebhookGates } from '../engine/guard-checks/webhook-gate.ts';
import type { GuardCheck, GuardChecks } from '../engine/guards/guard-check.ts';
import type { AlertSettings } from '../engine/settings/settings.ts';
import { GuardedWebhooks } from '../upstream/guarded-webhooks.ts';
import { Slots } from '../upstream/slots.ts';
import { newId } from './system.ts';

/** The requests of this process that ask one webhook at a time, and those that wait for it. */
const WEBHOOK_SLOTS = { running: 64, runningPerAccount: 32, waiting: 256, waitingPerAccount: 64 };

/** Creates the checks of guards. Webhooks follow the same rules for addresses as those of alerts. */
export function createGuardChecks(settings: AlertSettings, ports: ModerationCheckPorts): GuardChecks {
  const sender = new GuardedWebhooks({ settings, totalMs: MOST_TIMEOUT_MS });
  const { clock } = ports;
  const gates = new WebhookGates({ clock, newSlots: () => new Slots(WEBHOOK_SLOTS) });
  const made = new WeakMap<Guard, readonly GuardCheck[]>();
  const checksOf = (guard: Guard): readonly GuardCheck[] => {
    const { moderation, webhook } = guard;
    return [
      ...(moderation === undefined ? [] : [new ModerationCheck(ports, moderation)]),
      ...(webhook === undefined ? [] : [new WebhookCheck({ sender, clock, newId, gates }, guard, webhook)]),
    ];
  };
  return {
    of: (guard) => {
      const known = made.get(guard) ?? checksOf(guard);
      made.set(guard, known);
      return known;
    },
    problemOf: (url) => sender.problemOf(url),
  };
}
