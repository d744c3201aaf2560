import type { AlertRule } from '../../../domain/alerts/alert-rule.ts';
import type { AlertTarget } from '../../ports/alert-store.ts';
import { type AlertSettings, DEFAULT_ALERTS } from '../../settings/alert-settings.ts';

/** The section `alerts` of a configuration file: common settings, and the operators' own rules and webhooks. */
export interface ConfiguredAlerts {
  readonly settings: AlertSettings;
  readonly targets: readonly AlertTarget[];
  readonly rules: readonly AlertRule[];
}

export const NO_ALERTS: ConfiguredAlerts = { settings: DEFAULT_ALERTS, targets: [], rules: [] };
