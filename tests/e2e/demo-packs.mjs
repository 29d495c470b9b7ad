/* The tenants of the demo, one for each shipped pack, on one daemon with their data. */

import { demoData, startDaemon } from './harness.mjs';
import { mintToken, ROLES } from './token.mjs';

const TENANTS = {
  vesper: { warehouse: 'vesper.db', store: 'vesper.db' },
  mesa: { warehouse: 'mesa.db', store: 'mesa.db', packs: ['solar'], timezone: 'America/Denver' },
  noor: { warehouse: 'noor.db', store: 'noor.db', packs: ['city'] },
};

export const PACKS = Object.keys(TENANTS);

export async function startDemo(options = {}) {
  const [plants, city] = [await demoData('solar', '--small'), await demoData('city')];
  return startDaemon({ ...options, env: { VESPER_TENANTS: JSON.stringify(TENANTS), VESPER_TODAY: '2026-02-27T12:00-07:00',
    VESPER_SOURCES_SOLAR_DIALECT: 'sqlite', VESPER_SOURCES_SOLAR_DIR: plants,
    VESPER_SOURCES_CITY_DIALECT: 'sqlite', VESPER_SOURCES_CITY_DIR: city, ...options.env } });
}

/* Permissions that permissions.json of the packs gives to every role. */
const PACK_PERMISSIONS = ['chat:read_solar', 'chat:read_city'];

export const tokenOf = (tenant, role = 'admin', more = []) => mintToken({ sub: `${tenant}-${role}`, tenant_id: tenant,
  permissions: [...ROLES[role], ...PACK_PERMISSIONS, ...more] });
