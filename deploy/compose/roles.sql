-- Run by the container of Postgres as its superuser, once, while its volume is new. The service signs in as a role that
-- owns its database and is no superuser, so that whoever takes it over reads no files and starts no programs there.
\getenv password POSTGRES_PASSWORD
create role marketplace login nosuperuser nocreatedb nocreaterole noreplication password :'password';
alter database marketplace owner to marketplace;
alter schema public owner to marketplace;
-- Nobody signs in as the superuser over the network; inside the container `psql -U postgres` needs no password.
alter role postgres password null;
