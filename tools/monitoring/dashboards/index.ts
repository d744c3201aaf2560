import { cache } from './cache.ts';
import { channels } from './channels.ts';
import type { DashboardSource } from './dashboard.ts';
import { money } from './money.ts';
import { nodes } from './nodes.ts';
import { overview } from './overview.ts';
import { tasks } from './tasks.ts';
import { tenants } from './tenants.ts';

/** All dashboards, in the order in which readers need them. */
export const DASHBOARDS: readonly DashboardSource[] = [overview, channels, money, tasks, cache, nodes, tenants];
