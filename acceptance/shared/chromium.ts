import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Where the machine has it; `null` elsewhere. */
export const CHROMIUM = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome');

/**
 * The pages below the address bar, which Chromium loads for each window, unseen, and a process in stock, which pages of other contexts
 * cannot use: together more than a second of the processor. Chromium hears the last such switch alone, so what Playwright turns off is
 * named again.
 */
const UNUSED_FEATURES = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'AvoidCorsURLLoaderRestartOnRedirect'],
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'ThirdPartyStoragePartitioning', 'PaintHolding'],
  ...['LensOverlay', 'MediaRouter', 'AimEnabled'],
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'PreconnectToSearch'],
];

/** The variable in which the test runner tells its processes of the browser that they share. */
const ENDPOINT_VARIABLE = 'SWITCHYARD_TEST_CHROMIUM';

let shared: Promise<Browser> | null = null;

/**
 * The browser that all tests share, each with contexts of its own. It is the test runner's where that has started one, and else one of
 * this process, which ends with it.
 */
export function sharedChromium(): Promise<Browser> {
  const endpoint = process.env[ENDPOINT_VARIABLE];
  shared ??= endpoint ? chromium.connectOverCDP(endpoint) : chromium.launch(launchOptions());
  return shared;
}

export interface TestChromium {
  /** For `SWITCHYARD_TEST_CHROMIUM`. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Starts a browser that several processes can use at once. */
export async function startTestChromium(): Promise<TestChromium> {
  const profile = await mkdtemp(path.join(tmpdir(), 'switchyard-chromium-'));
  const { args, ...options } = launchOptions();
  try {
    const context = await chromium.launchPersistentContext(profile, {
      ...options,
      args: [...args, '--remote-debugging-port=0'],
    });
    const stop = async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    };
    // Chromium writes the file before it answers.
    const [port] = (await readFile(path.join(profile, 'DevToolsActivePort'), 'utf8')).split('\n');
    return { endpoint: `http://127.0.0.1:${port}`, stop };
  } catch (error) {
    await rm(profile, { recursive: true, force: true });
    throw error;
  }
}

function launchOptions() {
  if (CHROMIUM === null) throw new Error('There is no Chromium on this machine.');
  // No page of a test lives long enough to run faster by what an optimizing compiler has cost: a fifth of the processor's time.
  const switches = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--js-flags=--no-opt --no-maglev'];
  return { executablePath: CHROMIUM, args: [...switches, `--disable-features=${UNUSED_FEATURES.join(',')}`] };
}
