# Walks through a registry with Debian's Net::EPP::Simple and prints one JSON array a step: its name, the result
# code, and what came of it. Arguments: port, folder with ca.pem, client.pem and client.key.
use strict;
use warnings;
use JSON::PP;
use Net::EPP::Simple;

my ($port, $folder) = @ARGV;
my $json = JSON::PP->new->canonical->allow_nonref;
$| = 1;

sub client {
	my ($user, $password) = @_;
	return Net::EPP::Simple->new(
		host => '127.0.0.1', port => $port, user => $user, pass => $password, timeout => 60,
		verify => 1, ca_file => "$folder/ca.pem", cert => "$folder/client.pem", key => "$folder/client.key",
		load_config => 0,
	) || die "login: $Net::EPP::Simple::Error\n";
}

sub step {
	my ($name, $value) = @_;
	my $code = $Net::EPP::Simple::Code;
	print $json->encode([$name, defined $code ? 0 + $code : undef, $value]), "\n";
}

my $losing = client('losing', 'losing-pw');
my $gaining = client('gaining', 'gaining-pw');

step('check', $losing->check_domain('oakdeck.example'));
step('create host', $losing->create_host({ name => 'ns1.host.example', addrs => [{ ip => '192.0.2.1', version => 'v4' }] }));
step('create contact', $losing->create_contact({
	id => 'robin-1', voice => '+1.5555550100', fax => '', email => 'robin@mail.example', authInfo => 'contact-auth',
	postalInfo => { int => { name => 'Robin', org => 'Example & Sons',
		addr => { street => ['1 Main St'], city => 'Springfield', sp => 'IL', pc => '62701', cc => 'US' } } },
}));
step('create', $losing->create_domain({
	name => 'oakdeck.example', period => 2, registrant => 'robin-1', authInfo => 'right-code',
	contacts => { admin => 'robin-1', tech => 'robin-1' }, ns => ['ns1.host.example'],
}));
step('create again', $losing->create_domain({
	name => 'oakdeck.example', period => 1, registrant => 'robin-1', authInfo => 'other-code', contacts => {},
}));
step('check again', $losing->check_domain('oakdeck.example'));

my $info = $losing->domain_info('oakdeck.example');
step('info', { map { $_ => $info->{$_} } qw(name clID registrant ns status authInfo contacts) });
step('info contact', $losing->contact_info('robin-1')->{postalInfo}{int}{org});
step('info host', $losing->host_info('ns1.host.example')->{addrs});

step('renew', $losing->renew_domain({ name => 'oakdeck.example', cur_exp_date => substr($info->{exDate}, 0, 10), period => 1 }));
step('renew with the old date', $losing->renew_domain({ name => 'oakdeck.example', cur_exp_date => substr($info->{exDate}, 0, 10), period => 1 }));

step('lock', $losing->update_domain({ name => 'oakdeck.example', add => { status => ['clientTransferProhibited'] } }));
step('transfer of a locked one', $gaining->domain_transfer_request('oakdeck.example', 'right-code', 1));
step('unlock', $losing->update_domain({ name => 'oakdeck.example', rem => { status => ['clientTransferProhibited'] }, chg => { authInfo => 'second-code' } }));
step('transfer with the old code', $gaining->domain_transfer_request('oakdeck.example', 'right-code', 1));
step('transfer', $gaining->domain_transfer_request('oakdeck.example', 'second-code', 1)->{trStatus});
step('query', $gaining->domain_transfer_query('oakdeck.example')->{reID});

my $message = $losing->request(Net::EPP::Frame::Command::Poll::Req->new);
step('poll', [0 + $message->code, $message->getElementsByTagName('msg')->get_node(2)->textContent]);
my $ack = Net::EPP::Frame::Command::Poll::Ack->new;
$ack->setMsgID(($message->getElementsByTagName('msgQ'))[0]->getAttribute('id'));
step('acknowledge', 0 + $losing->request($ack)->code);
step('poll of an empty queue', 0 + $losing->request(Net::EPP::Frame::Command::Poll::Req->new)->code);

step('approve', $losing->domain_transfer_approve('oakdeck.example'));
step('info after the transfer', $gaining->domain_info('oakdeck.example')->{clID});
step('delete of a foreign one', $losing->delete_domain('oakdeck.example'));
step('delete', $gaining->delete_domain('oakdeck.example'));
