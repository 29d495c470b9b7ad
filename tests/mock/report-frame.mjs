/*
 * The frame of a report, served by Playwright instead of app.powerbi.com. It accepts messages like the real one
 * (http-post-message), records them in window.messages, and reports that it is loaded. BEHAVE selects a fault: `fail`
 * refuses to load, `mute` does not answer.
 */

const FRAME = `<!doctype html><html lang="en"><title>Report</title>
<style>body{margin:0;display:grid;place-items:center;height:100vh;font:20px sans-serif;color:#36454f;background:linear-gradient(#fff,#eef3f6)}
p{padding:30px 60px;background:#fff;border:1px solid #d7dfe4;border-radius:12px}</style>
<p>Day-Ahead Curves</p>
<script>
const behave = BEHAVE;
const uid = new URL(location).searchParams.get('uid');
window.messages = [];
addEventListener('message', ({ data, source, origin }) => {
  window.messages.push({ method: data.method, url: data.url, headers: data.headers, body: data.body, origin });
  if (behave === 'mute' || !data.url)
    return;
  const statusCode = behave === 'fail' ? 403 : 202;
  source.postMessage({ headers: { id: data.headers.id }, statusCode, body: {} }, origin);
  const event = behave === 'fail' ? 'error' : 'loaded';
  if (data.url === '/report/load')
    source.postMessage({ method: 'POST', url: '/reports/' + uid + '/events/' + event, headers: { id: 'e1' }, body: { message: event } }, origin);
});
</script>`;

/* Serves this frame for all Power BI frames of the context; behave() returns undefined, 'fail' or 'mute'. */
export async function reportFrames(context, behave = () => undefined) {
  await context.route('https://app.powerbi.com/**', (route) => route.fulfill({
    contentType: 'text/html; charset=utf-8', body: FRAME.replace('BEHAVE', JSON.stringify(behave() ?? null)) }));
}

/* Waits for the frame in a page, and returns it. */
export async function reportFrame(page) {
  const box = page.locator('.report-box iframe');

  await box.waitFor({ state: 'attached' });
  for (;;) {
    const frame = page.frames().find((one) => one.url().startsWith('https://app.powerbi.com/'));

    if (frame)
      return frame;
    if (await box.count() === 0)
      throw new Error('the frame was removed');
    await page.waitForTimeout(20);
  }
}
