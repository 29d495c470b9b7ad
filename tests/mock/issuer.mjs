/*
 * An identity provider like Entra ID: an OpenID configuration, a JWK Set with key rotation, and tokens signed with real
 * RSA keys. `fail` makes it unavailable.
 */

import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export class Issuer {
  constructor() {
    this.requests = [];
    this.fail = false;
    this.keys = new Map();
    this.roll('key-1');
  }

  async start() {
    this.server = createServer((req, res) => {
      this.requests.push(req.url);
      const body = req.url.endsWith('/openid-configuration')
        ? { issuer: `${this.url}/{tenantid}/v2.0`, jwks_uri: `${this.url}/keys` } : { keys: [...this.keys.values()].map((k) => k.jwk) };
      res.writeHead(this.fail ? 503 : 200, { 'content-type': 'application/json' }).end(this.fail ? '' : JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await new Promise((done) => this.server.once('listening', done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }

  /* Replaces all keys by a new one. */
  roll(kid) {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.keys.clear();
    this.keys.set(kid, { privateKey, publicKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } });
    this.kid = kid;
  }

  sign(claims, header = {}, { key = this.keys.get(this.kid).privateKey } = {}) {
    const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid: this.kid, ...header })}.${encode(claims)}`;
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key).toString('base64url')}`;
  }

  /* A forged token that uses the public key as an HMAC secret. */
  confuse(claims, secret) {
    const signed = `${encode({ alg: 'HS256', typ: 'JWT', kid: this.kid })}.${encode(claims)}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  }
}
