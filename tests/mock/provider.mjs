/*
 * A real OpenID provider (oidc-provider, certified) with a few users, for the page's sign-in. Any password is right.
 * Run alone it serves docs/signin.md: node tests/mock/provider.mjs [PORT [PAGE]]. A test may take it away, slow it
 * down, roll its keys and revoke what it has given.
 */

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/* It warns on the console of what is meant for development; this is. What it keeps is in a map of its module, so that
 * one process has one provider. */
const warn = console.warn;
console.warn = console.info = () => {};
const { default: Provider } = await import('oidc-provider');
const { setStorage } = await import('oidc-provider/lib/adapters/memory_adapter.js');

export const CLIENT = { id: 'vesper-page', secret: 'a secret of the test provider' };
export const AUDIENCE = 'vesper-api';

/* Whoever is not listed signs in, and may not use Vesper. */
export const USERS = {
  ann: { name: 'Ann Analyst', tenant_id: 'vesper', roles: ['analyst'] },
  max: { name: 'Max Manager', tenant_id: 'vesper', roles: ['manager'] },
  ada: { name: 'Ada Admin', tenant_id: 'vesper', roles: ['admin'] },
  vic: { name: 'Vic Viewer', tenant_id: 'vesper', roles: ['viewer'] },
  amy: { name: 'Amy Acme', tenant_id: 'acme', roles: ['analyst'] },
};

function newKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' };
}

export class TestProvider {
  requests = [];      /* "POST /token" */
  delayMs = 0;        /* before each answer */
  failWith = 0;       /* a status, instead of an answer of the token endpoint */
  isAway = false;     /* connections are cut */
  tokenLifeS = 300;
  #keys = [newKey()];

  constructor(page) {
    this.page = page;
  }

  async start(port = 0) {
    this.http = createServer((request, response) => this.#serve(request, response));
    await new Promise((resolve) => this.http.listen(port, '127.0.0.1', resolve));
    this.forget();
    this.issuer = `http://127.0.0.1:${this.http.address().port}`;
    this.#make();
    return this;
  }

  stop() {
    this.http.closeAllConnections();
    return new Promise((resolve) => this.http.close(resolve));
  }

  /* Everybody signs in again: sessions, grants and tokens are forgotten. */
  forget() {
    setStorage(new Map());
  }

  /* The old key is gone at once; what was signed with it is good no more. */
  roll() {
    this.#keys = [newKey()];
    this.#make();
  }

  /* What the settings of a daemon are for this provider. */
  environment(more = {}) {
    return {
      VESPER_SERVER_PUBLIC_URL: this.page,
      VESPER_AUTH_JWKS_URL: `${this.issuer}/.well-known/openid-configuration`,
      VESPER_AUTH_ISSUER: this.issuer, VESPER_AUTH_AUDIENCE: AUDIENCE,
      VESPER_AUTH_ROLE_MAP: JSON.stringify({ viewer: 'viewer', analyst: 'analyst', manager: 'manager', admin: 'admin' }),
      VESPER_SIGNIN_CLIENT_ID: CLIENT.id, VESPER_SIGNIN_CLIENT_SECRET: CLIENT.secret,
      ...more,
    };
  }

  #make() {
    const resource = { scope: 'openid profile', audience: AUDIENCE, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } };

    this.provider = new Provider(this.issuer, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [`${this.page}/auth/callback`], post_logout_redirect_uris: [`${this.page}/`] }],
      jwks: { keys: this.#keys },
      cookies: { keys: ['of a test'] },
      pkce: { required: () => true, methods: ['S256'] },
      claims: { openid: ['sub'], profile: ['name'] },
      conformIdTokenClaims: false,
      findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id, name: USERS[id]?.name ?? id }) }),
      extraTokenClaims: (ctx, token) => USERS[token.accountId] ?? {},
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      features: {
        devInteractions: { enabled: true },
        revocation: { enabled: true },
        rpInitiatedLogout: { enabled: true },
        resourceIndicators: { enabled: true, defaultResource: () => 'urn:vesper:api', useGrantedResource: () => true,
          getResourceServerInfo: () => ({ ...resource, accessTokenTTL: this.tokenLifeS }) },
      },
      ttl: { AccessToken: () => this.tokenLifeS, IdToken: 3600, RefreshToken: 86400, Grant: 86400, Session: 86400, Interaction: 3600 },
      /* Nobody is asked what the page may do. */
      loadExistingGrant: async (ctx) => {
        const { client, session } = ctx.oidc;
        const known = session.grantIdFor(client.clientId);
        const grant = (known && await ctx.oidc.provider.Grant.find(known)) ||
          new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });

        grant.addOIDCScope('openid profile offline_access');
        grant.addResourceScope('urn:vesper:api', 'openid profile');
        await grant.save();
        return grant;
      },
    });
    this.provider.on('server_error', (ctx, error) => warn(error));
    this.answer = this.provider.callback();
  }

  async #serve(request, response) {
    const path = request.url.split('?')[0];

    this.requests.push(`${request.method} ${path}`);
    if (this.isAway)
      return request.socket.destroy();
    if (this.delayMs > 0)
      await sleep(this.delayMs);
    if (this.failWith && path === '/token')
      return response.writeHead(this.failWith, { 'content-type': 'application/json' }).end('{"error":"server_error"}');
    return this.answer(request, response);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [port = '9090', page = 'http://127.0.0.1:8080'] = process.argv.slice(2);
  const provider = await new TestProvider(page).start(Number(port));

  console.log([`# A provider for trying things out: ${provider.issuer} signs in ${Object.keys(USERS).join(', ')} with any password, for ${page}.`,
    ...Object.entries(provider.environment()).map(([name, value]) => `export ${name}='${value}'`)].join('\n'));
}
