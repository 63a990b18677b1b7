process.env.SERVICE_AS = 'ucaller';
