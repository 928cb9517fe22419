# Asks for a domain as another registrar, with Debian's Net::EPP::Simple, and prints the result code and where the
# transfer stands. Arguments: port, folder with ca.pem, client.pem and client.key, domain, authorization code.
use strict;
use warnings;
use Net::EPP::Simple;

my ($port, $folder, $domain, $code) = @ARGV;
my $registrar = Net::EPP::Simple->new(
	host => '127.0.0.1', port => $port, user => 'losing', pass => 'losing-pw', timeout => 60,
	verify => 1, ca_file => "$folder/ca.pem", cert => "$folder/client.pem", key => "$folder/client.key",
	load_config => 0,
) || die "login: $Net::EPP::Simple::Error\n";
my $transfer = $registrar->domain_transfer_request($domain, $code, 1);
print join(' ', $Net::EPP::Simple::Code, ref $transfer ? $transfer->{trStatus} : '-'), "\n";
