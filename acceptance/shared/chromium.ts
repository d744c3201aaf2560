import { type Browser, chromium } from 'playwright-core';

/** The path of an installed Chromium, or `null`. Debian's build without windows and extensions is the first choice: it takes a tenth less CPU. */
export const CHROMIUM =
  ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    .map((name) => Bun.which(name))
    .find((path) => path !== null) ?? null;

/**
 * Switches off pages of the address bar, which Chromium loads invisibly for each window, and a spare process, which pages of other contexts
 * cannot use: together more than a second of CPU time. Chromium honours only the last such switch, so Playwright's own values are repeated.
 */
const UNUSED_FEATURES = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'AvoidCorsURLLoaderRestartOnRedirect'],
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'ThirdPartyStoragePartitioning', 'PaintHolding'],
  ...['LensOverlay', 'MediaRouter', 'AimEnabled'],
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'PreconnectToSearch'],
];

let shared: Promise<Browser> | null = null;

/**
 * Returns the browser that all tests of this process share, each with its own contexts. It ends with the process, which holds the other end
 * of its pipe. Starting one takes 0.3 s of CPU time. Processes do not share one: a client of a running browser is attached to the pages of
 * all others, and would process all their events.
 */
export function sharedChromium(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error('There is no Chromium on this machine.');
  shared ??= chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      // Optimized code saves less time than its compilers take. With more space for new objects, fewer are copied.
      '--js-flags=--no-opt,--no-maglev,--min-semi-space-size=16',
      `--disable-features=${UNUSED_FEATURES.join(',')}`,
    ],
  });
  return shared;
}
