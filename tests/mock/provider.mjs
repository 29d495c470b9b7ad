/*
 * A real OpenID provider (oidc-provider, certified) with a few users, for the page's sign-in. It accepts any password.
 * As a program it is the provider of docs/signin.md: node tests/mock/provider.mjs [PORT [PAGE]]. Tests can make it
 * unavailable or slow, rotate its keys, and revoke its tokens.
 */

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/* The library's warnings about development use are suppressed. It stores its state in a module, so a process can have only
 * one provider. */
const warn = console.warn;
console.warn = console.info = () => {};
const { default: Provider } = await import('oidc-provider');
const { setStorage } = await import('oidc-provider/lib/adapters/memory_adapter.js');

export const CLIENT = { id: 'vesper-page', secret: 'a secret of the test provider' };
export const AUDIENCE = 'vesper-api';

/* Users that are not listed can sign in, but not use Vesper. */
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
  delayMs = 0;        /* before each response */
  failWith = 0;       /* status with which the token endpoint fails; 0: it does not */
  isUnavailable = false; /* connections are closed */
  tokenLifeS = 300;
  #keys = [newKey()];

  constructor(page) {
    this.page = page;
  }

  async start(port = 0) {
    this.http = createServer((request, response) => this.#serve(request, response));
    await new Promise((resolve) => this.http.listen(port, '127.0.0.1', resolve));
    this.revokeAll();
    this.issuer = `http://127.0.0.1:${this.http.address().port}`;
    this.#createProvider();
    return this;
  }

  stop() {
    this.http.closeAllConnections();
    return new Promise((resolve) => this.http.close(resolve));
  }

  /* Deletes all sessions, grants and tokens, so that every user must sign in again. */
  revokeAll() {
    setStorage(new Map());
  }

  /* Replaces the key; signatures of the old one become invalid. */
  roll() {
    this.#keys = [newKey()];
    this.#createProvider();
  }

  /* Environment for a daemon that uses this provider. */
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

  #createProvider() {
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
      /* Grants consent without asking the user. */
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
    if (this.isUnavailable)
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
