/* The fictional customers of the demo; addresses end in `.example`, which nobody can register (RFC 2606). */

export type Rhythm = 'office' | 'evening' | 'night' | 'steady';

/** A budget as a multiple of the average spending per period. */
export interface DemoBudget {
  readonly factor: number;
  readonly per: 'day' | 'week' | 'month';
  readonly zone?: string;
}

export interface DemoKey {
  readonly id: string;
  readonly name: string;
  /** The key's weight among the account's traffic. */
  readonly weight: number;
  /** The key's limit as a multiple of its spending. */
  readonly limitFactor?: number;
  readonly budget?: DemoBudget;
  readonly models?: readonly string[];
  readonly requestsPerMinute?: number;
  /** When the key was created, from 0 (the beginning of the demo's time) to 1 (now); before it by default. */
  readonly madeAt?: number;
  readonly revokedAt?: number;
  readonly rotatedAt?: number;
  readonly expiresAt?: number;
}

export interface Customer {
  readonly id: string;
  readonly name: string;
  readonly role: 'User' | 'Partner' | 'VIP';
  readonly billing: 'prepaid' | 'unlimited';
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly maxConcurrent?: number;
  readonly budget?: DemoBudget;
  /** The approximate final balance, in cents; by default the balance stays well above zero. */
  readonly endsWithCents?: number;
  readonly archivedAt?: number;
  /** The share of all requests. */
  readonly share: number;
  /** The traffic at the end relative to the beginning. */
  readonly growth: number;
  readonly rhythm: Rhythm;
  /** The time zone, in hours ahead of UTC. */
  readonly zone: number;
  readonly models: readonly (readonly [modelId: string, weight: number])[];
  readonly formats: readonly (readonly [format: string, weight: number])[];
  readonly streams: number;
  /** The share of requests that the cache answers. */
  readonly cached: number;
  /** The share of prompts that upstreams have cached. */
  readonly promptCached: number;
  readonly tags: Readonly<Record<string, readonly string[]>>;
  readonly keys: readonly DemoKey[];
  readonly tokens?: readonly { readonly id: string; readonly name: string; readonly scopes: readonly string[] }[];
}

const CHAT: Customer['formats'] = [['openai-chat', 1]];

export const CUSTOMERS: readonly Customer[] = [
  {
    id: 'halyard',
    name: 'Halyard Robotics',
    role: 'VIP',
    billing: 'prepaid',
    tokensPerMinute: 4_000_000,
    budget: { factor: 1.25, per: 'month', zone: 'Europe/Berlin' },
    share: 0.3,
    growth: 1.9,
    rhythm: 'office',
    zone: 1,
    models: [
      ['claude-sonnet-5-5', 34],
      ['gpt-6.1-sol', 22],
      ['claude-opus-5-5', 8],
      ['gpt-6-luna', 14],
      ['text-embedding-3-small', 17],
      ['gemini-4-argon', 5],
    ],
    formats: [
      ['anthropic-messages', 5],
      ['openai-responses', 3],
      ['openai-chat', 2],
    ],
    streams: 0.8,
    cached: 0.05,
    promptCached: 0.62,
    tags: {
      team: ['navigation', 'simulation', 'docs', 'hardware'],
      feature: ['code-review', 'search', 'pair-programming', 'release-notes'],
      end_user: ['mara', 'jonas', 'ines', 'tomasz', 'yuki'],
    },
    keys: [
      { id: 'ci', name: 'CI pipeline', weight: 20, requestsPerMinute: 300 },
      { id: 'claude-code', name: 'Claude Code, team', weight: 46, rotatedAt: 0.64 },
      { id: 'search-prod', name: 'Documentation search', weight: 26, models: ['text-embedding-*', 'gpt-6-*'] },
      { id: 'mara-laptop', name: "Mara's laptop", weight: 6, budget: { factor: 1.9, per: 'week' } },
      { id: 'intern-2026', name: 'Summer interns', weight: 2, limitFactor: 1.6, expiresAt: 0.42 },
      { id: 'old-ci', name: 'CI, before the move', weight: 5, revokedAt: 0.22 },
    ],
    tokens: [
      { id: 'terraform', name: 'Terraform', scopes: ['keys:write', 'limits:read', 'alerts:write'] },
      { id: 'cost-report', name: 'Weekly cost report', scopes: ['usage:read', 'requests:read', 'balance:read'] },
    ],
  },
  {
    id: 'paperkite',
    name: 'Paper Kite Reading',
    role: 'User',
    billing: 'prepaid',
    endsWithCents: 41,
    share: 0.1,
    growth: 1.3,
    rhythm: 'evening',
    zone: 0,
    models: [
      ['gpt-6-luna', 50],
      ['claude-haiku-5-5', 30],
      ['tts-1', 20],
    ],
    formats: CHAT,
    streams: 0.9,
    cached: 0.16,
    promptCached: 0.2,
    tags: { screen: ['story', 'quiz', 'dictionary'], grade: ['1', '2', '3', '4'] },
    keys: [
      { id: 'app', name: 'App backend', weight: 90 },
      { id: 'staging', name: 'Staging', weight: 10, limitFactor: 1.12 },
    ],
  },
  {
    id: 'qinghe',
    name: '青禾智能（演示账户）',
    role: 'Partner',
    billing: 'prepaid',
    requestsPerMinute: 240,
    maxConcurrent: 24,
    share: 0.2,
    growth: 1.6,
    rhythm: 'office',
    zone: 8,
    models: [
      ['deepseek-v4-flash', 46],
      ['z-ai/glm-5.3-flash', 22],
      ['moonshotai/kimi-k3.1-pro', 14],
      ['text-embedding-3-small', 18],
    ],
    formats: [
      ['openai-chat', 8],
      ['openai-responses', 1],
    ],
    streams: 0.6,
    cached: 0.12,
    promptCached: 0.4,
    tags: { 部门: ['客服', '研发', '市场'], env: ['prod', 'test'] },
    keys: [
      { id: 'kefu', name: '客服机器人', weight: 60 },
      { id: 'yanfa', name: '研发', weight: 25, budget: { factor: 2.1, per: 'day', zone: 'Asia/Shanghai' } },
      { id: 'piliang', name: '批量任务', weight: 15, requestsPerMinute: 120 },
      { id: 'shiyong', name: '试用（已停用）', weight: 3, revokedAt: 0.5 },
    ],
    tokens: [{ id: 'yunwei', name: '运维', scopes: ['*:read'] }],
  },
  {
    id: 'ferryline',
    name: 'Ferryline Logistics',
    role: 'Partner',
    billing: 'prepaid',
    budget: { factor: 1.35, per: 'week' },
    share: 0.12,
    growth: 1.2,
    rhythm: 'night',
    zone: -5,
    models: [
      ['claude-sonnet-5-5', 18],
      ['gemini-3.8-flash', 40],
      ['openai/gpt-oss-120b', 32],
      ['whisper-large-v3-turbo', 10],
    ],
    formats: [
      ['gemini', 3],
      ['openai-chat', 4],
      ['anthropic-messages', 1],
    ],
    streams: 0.25,
    cached: 0.03,
    promptCached: 0.3,
    tags: { route: ['north', 'south', 'harbour'], feature: ['customs-forms', 'eta', 'call-notes'] },
    keys: [
      { id: 'night-batch', name: 'Nightly batch', weight: 60 },
      { id: 'dispatch', name: 'Dispatch desk', weight: 30 },
      { id: 'call-notes', name: 'Call notes', weight: 10, models: ['whisper-*', 'gemini-*'], madeAt: 0.3 },
    ],
    tokens: [{ id: 'batch-ops', name: 'Batch operations', scopes: ['keys:write', 'requests:read', 'usage:read'] }],
  },
  {
    id: 'tidepool',
    name: 'Tidepool Studio',
    role: 'Partner',
    billing: 'prepaid',
    share: 0.07,
    growth: 2.4,
    rhythm: 'office',
    zone: -8,
    models: [
      ['gpt-image-2', 9],
      ['flux-2-pro', 22],
      ['gemini-3.8-flash', 34],
      ['gpt-5.4-mini', 25],
      ['tts-1', 10],
    ],
    formats: CHAT,
    streams: 0.7,
    cached: 0.02,
    promptCached: 0.1,
    tags: { project: ['moonrise', 'reef-walk', 'shopfront'], client: ['in-house', 'pitch'] },
    keys: [
      { id: 'studio', name: 'Studio tools', weight: 80 },
      { id: 'moonrise', name: 'Project Moonrise', weight: 20, limitFactor: 2.4, madeAt: 0.2 },
    ],
  },
  {
    id: 'platform',
    name: 'Platform team (internal)',
    role: 'VIP',
    billing: 'unlimited',
    share: 0.11,
    growth: 1.1,
    rhythm: 'steady',
    zone: 1,
    models: [
      ['gpt-5.4-mini', 38],
      ['gpt-6-luna', 22],
      ['claude-haiku-5-5', 20],
      ['grok-4.7', 8],
      ['text-embedding-3-small', 12],
    ],
    formats: [
      ['openai-chat', 3],
      ['openai-responses', 3],
      ['anthropic-messages', 1],
    ],
    streams: 0.3,
    cached: 0.22,
    promptCached: 0.35,
    tags: { service: ['triage', 'moderation', 'summaries', 'evals'] },
    keys: [
      { id: 'triage', name: 'Ticket triage', weight: 45 },
      { id: 'evals', name: 'Nightly evaluations', weight: 35 },
      { id: 'playground', name: 'Playground', weight: 20, budget: { factor: 1.1, per: 'month' } },
    ],
    tokens: [{ id: 'grafana', name: 'Grafana', scopes: ['usage:read', 'system:read'] }],
  },
  {
    id: 'lighthouse',
    name: 'The Society for the Keeping of Lighthouses, Foghorns, Semaphore Towers and Exceptionally Long Account Names',
    role: 'User',
    billing: 'prepaid',
    share: 0.04,
    growth: 0.8,
    rhythm: 'evening',
    zone: 2,
    models: [
      ['gemini-3.8-flash', 60],
      ['gpt-6-luna', 40],
    ],
    formats: [
      ['gemini', 2],
      ['openai-chat', 1],
    ],
    streams: 0.5,
    cached: 0.08,
    promptCached: 0.1,
    tags: {},
    keys: [
      { id: 'archive', name: 'Archive of the logbooks of all keepers, volumes 1 to 412', weight: 100 },
      { id: 'volunteers', name: 'Volunteers', weight: 20, requestsPerMinute: 10 },
    ],
  },
  {
    id: 'brasslamp',
    name: 'Brass Lamp Games',
    role: 'User',
    billing: 'prepaid',
    archivedAt: 0.7,
    share: 0.06,
    growth: 0.4,
    rhythm: 'evening',
    zone: -6,
    models: [
      ['gpt-5.4-mini', 60],
      ['claude-haiku-5-5', 40],
    ],
    formats: CHAT,
    streams: 0.6,
    cached: 0.06,
    promptCached: 0.15,
    tags: { build: ['alpha', 'beta'] },
    keys: [{ id: 'game-server', name: 'Game server', weight: 100 }],
  },
];

export interface DemoPerson {
  readonly email: string;
  readonly name: string;
  readonly account: string | null;
  readonly role: 'owner' | 'member' | 'viewer' | null;
}

export const OPERATOR: DemoPerson = {
  email: 'operator@switchyard.example',
  name: 'Ines Weaver',
  account: null,
  role: null,
};
/** The owner whose sign-in is printed besides the operator's. */
export const OWNER: DemoPerson = {
  email: 'mara@halyard.example',
  name: 'Mara Lindqvist',
  account: 'halyard',
  role: 'owner',
};
export const PEOPLE: readonly DemoPerson[] = [
  OWNER,
  { email: 'tomas@halyard.example', name: 'Tomas Okafor', account: 'halyard', role: 'member' },
  { email: 'june@halyard.example', name: 'June Abara', account: 'halyard', role: 'viewer' },
  { email: 'li.wen@qinghe.example', name: '李雯', account: 'qinghe', role: 'owner' },
  { email: 'noor@tidepool.example', name: 'Noor Castellanos', account: 'tidepool', role: 'owner' },
  { email: 'sam@ferryline.example', name: 'Sam Delacroix', account: 'ferryline', role: 'owner' },
];
