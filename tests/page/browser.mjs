/* A browser for the page's tests: Debian's headless Chromium shell, which needs a third of the CPU time of the full browser,
 * and pages that record their faults. */

import { chromium } from 'playwright-core';

import { patient } from '../e2e/patience.mjs';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: FLAGS,
  });
}

/* Opens a page and records its faults: errors on the console, requests to other origins, dialogs. */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(patient(30000));
  const pageErrors = [];
  const { host } = new URL(url);

  page.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()));
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  page.on('dialog', (dialog) => { pageErrors.push('dialog'); dialog.dismiss(); });
  page.on('request', (request) => new URL(request.url()).host !== host && pageErrors.push(request.url()));
  page.on('websocket', (socket) => new URL(socket.url()).host !== host && pageErrors.push(socket.url()));
  await page.goto(url);
  return { page, context, pageErrors };
}

export async function ask(page, question) {
  await page.getByRole('textbox', { name: 'Your question' }).fill(question);
  await page.keyboard.press('Enter');
}

export const lastTurn = (page) => page.locator('.turn').last();

/* Waits for the end of the answer. */
export async function answered(page, limitMs = patient(15000)) {
  await page.locator('.turn').last().waitFor({ timeout: limitMs });
  await page.locator('.turn.running').waitFor({ state: 'detached', timeout: limitMs });
  return lastTurn(page);
}
