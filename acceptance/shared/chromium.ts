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

let shared: Promise<Browser> | null = null;

/**
 * The browser that all tests of this process share, each with contexts of its own. It ends with the process, which holds the other end of
 * its pipe. To start one takes 0.3 s of the processor. Processes do not share one: who connects to a running browser is attached to the
 * pages of all others, and would follow all that happens there.
 */
export function sharedChromium(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error('There is no Chromium on this machine.');
  shared ??= chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      // No page of a test lives long enough to win back by speed what an optimizing compiler has cost.
      '--js-flags=--no-opt --no-maglev',
      `--disable-features=${UNUSED_FEATURES.join(',')}`,
    ],
  });
  return shared;
}
